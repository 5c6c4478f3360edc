"""The share of valid UTF-8 among what is not ASCII."""

import pytest

from curation.text.charsets.damage import valid_share


@pytest.mark.parametrize(
    ("content", "share"),
    [
        pytest.param(b"", None, id="nothing"),
        pytest.param(b"plain", None, id="ASCII"),
        pytest.param("é€😀".encode(), 1.0, id="two, three and four bytes"),
        pytest.param(b"\xc3\xa9 \xe9", 0.5, id="one of each"),
        pytest.param(b"\xe2\x82", 0.0, id="cut, two bytes"),
        pytest.param("\ufffd".encode(), 1.0, id="a replacement character as written"),
        pytest.param("Привет".encode("cp1251"), 0.0, id="Windows-1251"),
    ],
)
def test_valid_share(content: bytes, share: float | None) -> None:
    assert valid_share(content) == share
