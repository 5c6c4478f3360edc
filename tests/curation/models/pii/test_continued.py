"""Lists of telephone numbers."""

import pytest

from curation.models.pii.continued import continued
from curation.models.pii.overlaps import PiiSpan


@pytest.mark.parametrize(
    ("after", "found"),
    [
        (", 22-93-72", ["22-93-72"]),
        (", 2653386, 2653210 E-mail", ["2653386", "2653210"]),
        (" or 0800 0158 124.", ["0800 0158 124"]),
        ("、5518123号", ["5518123"]),
        ("或62726112", ["62726112"]),
        ("\x01或\x0162726112", ["62726112"]),
        ("/73/74/77 GLM", ["/73/74/77"]),
        (", 10001 New York", []),
        (", 171001 Shimla", []),
        (", 02-672 Warszawa", []),
        (", 09-12-2021", []),
        (", 2653386 €", ["2653386"]),
        (", 2653386€", []),
        (", 265338612345", []),
        (" and 12 more", []),
        ("", []),
    ],
)
def test_what_goes_on(after: str, found: list[str]) -> None:
    content = f"é 0177-2653575{after}".encode()
    first = PiiSpan("phone", 3, 15, 0.4)
    spans = continued([first], content)
    assert spans[0] == first
    assert [content[span.start : span.end].decode() for span in spans[1:]] == found
    assert {span.kind for span in spans} == {"phone"}


def test_only_after_a_telephone_number_and_none_twice() -> None:
    content = b"0177-2653575, 2653386"
    assert continued([PiiSpan("us_ssn", 0, 12, 0.4)], content) == [PiiSpan("us_ssn", 0, 12, 0.4)]
    both = [PiiSpan("phone", 0, 12, 0.4), PiiSpan("phone", 14, 21, 0.4)]
    assert continued(both, content) == both
