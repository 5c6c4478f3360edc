"""Labels before telephone numbers."""

import pytest

from curation.models.pii.labels import is_labelled, is_right_after_label


@pytest.mark.parametrize(
    ("before", "labelled", "right"),
    [
        ("Tel. ", True, True),
        ("Phone:\n", True, False),
        ("Bürgertelefon: ", True, True),
        ("Servicetelefonnummer ", True, True),
        ("电话：", True, True),
        ("☎ ", True, True),
        ("फ़ोन नंबर ", True, False),
        ("मोबाइल: ", True, True),
        ("هاتف ", True, True),
        ("رقم الجوال: ", True, True),
        ("تلفن", True, True),
        ("โทร. ", True, True),
        ("携帯", True, True),
        ("연락처: ", True, True),
        ("वर्ष ", False, False),
        ("الرقم ", False, False),
        ("call us at ", True, False),
        ("call our friendly team on ", True, False),
        ("Fax number: ", True, True),
        ("call 12 times, ", False, False),
        ("GSM", False, False),
        ("quant-ph/", False, False),
        ("hotel ", False, False),
        ("iPhone ", False, False),
        ("phone and then so much more that it is far ", False, False),
        ("", False, False),
    ],
)
def test_labels(before: str, labelled: bool, right: bool) -> None:
    assert (is_labelled(before), is_right_after_label(before)) == (labelled, right)
