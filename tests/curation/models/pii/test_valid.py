"""Which values are one of their kind, as a whole."""

import pytest

from curation.models.pii.valid import is_of_kind, validity

pytest.importorskip("presidio_analyzer")


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        pytest.param("12345678Z", "es_nif", True, id="a right letter"),
        pytest.param("12345678A", "es_nif", False, id="a wrong letter"),
        pytest.param("x 12345678Z", "es_nif", False, id="only a part"),
        pytest.param("+47 23 45 67 89", "phone", True, id="a number with its country"),
        pytest.param("23 45 67 89", "phone", False, id="of a country that is not looked for"),
        pytest.param("212-736-5000", "phone", True, id="a number"),
        pytest.param("Ann Lee", "name", False, id="a kind without a form"),
    ],
)
def test_values(value: str, kind: str, expected: bool) -> None:
    assert is_of_kind(value, kind) is expected
    assert (validity(value, kind) is not None) is expected
