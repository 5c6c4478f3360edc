"""Header fields."""

import pytest

from curation.sources.fields import parse_fields


@pytest.mark.parametrize(
    ("lines", "fields"),
    [
        (b"", {}),
        (b"A: 1\r\nB:2\n", {"a": "1", "b": "2"}),
        (b"A: 1\r\na: 2", {"a": "1"}),
        (b"A:\r\nA: 2", {"a": "2"}),
        (b"A: 1\r\n\t2\r\n 3", {"a": "1 2 3"}),
        (b"A:\r\n\t2", {"a": "2"}),
        (b" lost\r\nno colon\r\nA: x:y", {"a": "x:y"}),
        ("A: é".encode(), {"a": "é"}),
        (b"A: \xe9", {"a": "é"}),
    ],
)
def test_parse_fields(lines: bytes, fields: dict[str, str]) -> None:
    assert parse_fields(lines) == fields
