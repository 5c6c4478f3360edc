"""Bytes as text where nothing says in which encoding: replaced, judged, or taken for Western."""

import pytest

from curation.core.protocols import ReadTally
from curation.sources.utf8 import decoded, judged, legacy

RUSSIAN = "Вчера вечером мы долго гуляли по берегу реки."


@pytest.mark.parametrize(
    ("content", "text", "counted"),
    [
        pytest.param("é".encode(), "é", {}, id="UTF-8"),
        pytest.param(RUSSIAN.encode("cp1251"), RUSSIAN, {"lenient.charset": 1}, id="Windows-1251"),
        pytest.param(RUSSIAN.encode() + b"\xff", f"{RUSSIAN}\ufffd", {"lenient.invalid_utf8": 1}, id="damaged"),
        pytest.param(b"caf\xe9", "caf\ufffd", {"lenient.invalid_utf8": 1}, id="too short to tell"),
        pytest.param(b"\0\xe9" * 9, "\0\ufffd" * 9, {"lenient.invalid_utf8": 1}, id="no text"),
    ],
)
def test_judged(content: bytes, text: str, counted: dict[str, int]) -> None:
    tally = ReadTally()
    assert judged(content, tally) == text
    assert dict(tally.records) == counted


def test_decoded_replaces_whatever_it_seems_to_be() -> None:
    tally = ReadTally()
    assert decoded("нет".encode("cp1251"), tally) == "\ufffd" * 3
    assert dict(tally.records) == {"lenient.invalid_utf8": 1}


def test_legacy_is_western_where_it_is_too_short_to_tell() -> None:
    assert legacy(RUSSIAN.encode("koi8-r")) == RUSSIAN
    assert legacy(b"caf\xe9") == "café"
