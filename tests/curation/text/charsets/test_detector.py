"""Which encoding a text is in by its bytes alone, also where two encodings read nearly alike."""

import pytest

from curation.text.charsets.detector import MIN_TELLING, detected, detected_escaped, detected_wide, fits, ranked

RUSSIAN = "Вчера вечером мы долго гуляли по берегу реки и говорили о прошедшем лете. "
FRENCH = (
    "Le maire a annoncé hier que la bibliothèque de la ville restera ouverte pendant les fêtes de fin d'année. " * 2
)
GREEK = "Χθες το βράδυ περπατήσαμε δίπλα στο ποτάμι και μιλήσαμε για το καλοκαίρι. "
JAPANESE = "昨日は友達と一緒に川沿いを散歩して、夏の思い出について話しました。"


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        pytest.param(RUSSIAN.encode("cp1251"), "cp1251", id="Russian"),
        pytest.param(RUSSIAN.encode("cp866"), "cp866", id="Russian of DOS"),
        pytest.param(RUSSIAN.encode("iso8859-5"), "iso8859-5", id="Russian of ISO"),
        pytest.param(JAPANESE.encode("cp932"), "cp932", id="Japanese"),
        pytest.param(f"{FRENCH}5 €".encode("iso8859-15"), "iso8859-15", id="the euro beside a figure"),
        pytest.param(f"{FRENCH}ses œuvres".encode("iso8859-15"), "iso8859-15", id="the ligature"),
        pytest.param(f"{FRENCH}½ tour".encode("cp1252"), "cp1252", id="a half"),
        pytest.param(f"{FRENCH}5 €".encode("cp1252"), "cp1252", id="the euro of Windows"),
        pytest.param(f"{GREEK}Άλλοι".encode("iso8859-7"), "iso8859-7", id="Greek alpha with accent"),
        pytest.param(f"{GREEK}Άλλοι".encode("cp1253"), "cp1253", id="Greek alpha of Windows"),
        pytest.param("© 2020 – “all” rights".encode("cp1252") * 3, "cp1252", id="signs only"),
        pytest.param(FRENCH.upper().encode("cp1252"), "cp1252", id="capitals of Windows, not of Mac Roman"),
        pytest.param(FRENCH.encode("mac-roman"), "mac-roman", id="Mac Roman"),
        pytest.param("Všetky banky odporúčajú ťažké úlohy, ktoré".encode("cp1250"), "cp1250", id="a byte of no other"),
        pytest.param(RUSSIAN.encode() + b"\xff", "utf-8", id="damaged UTF-8"),
        pytest.param(b"plain", "utf-8", id="ASCII"),
        pytest.param(b"", "utf-8", id="nothing"),
        pytest.param("ж".encode("cp1251") * (MIN_TELLING - 1), None, id="too short"),
    ],
)
def test_detected(text: bytes, codec: str | None) -> None:
    assert detected(text) == codec


def test_the_best_comes_first_with_a_confidence_of_one() -> None:
    scores = ranked(RUSSIAN.encode("koi8-r"))
    assert next(iter(scores.items())) == ("koi8-r", 1.0)
    assert scores["cp1251"] < 0.5


def test_escapes_are_found_behind_much_ascii() -> None:
    text = b"plain " * 10_000
    assert detected_escaped(text + JAPANESE.encode("iso2022_jp")) == "iso2022_jp"
    assert detected_escaped(text + b"\x1b[1m red") is None


def test_wide_encodings() -> None:
    assert detected_wide(FRENCH.encode("utf-16-be")) == "utf-16-be"
    assert detected_wide(RUSSIAN.encode("utf-16-le")) == "utf-16-le"
    assert detected_wide("हिन्दी में ".encode("utf-16-be")) == "utf-16-be"
    assert detected_wide(FRENCH.encode("utf-32-be")) == "utf-32-be"
    assert detected_wide(b"\0\0\0") is None


@pytest.mark.parametrize(
    ("content", "codec", "expected"),
    [
        pytest.param(b"\x80", "cp1252", True, id="the euro"),
        pytest.param(b"\x81", "cp1252", False, id="no character"),
        pytest.param(b"\x80", "iso8859-2", False, id="a control"),
        pytest.param(b"\x85", "iso8859-2", True, id="next line"),
        pytest.param("语".encode("gb18030") * 99 + b"\xff", "gb18030", True, id="one of 100"),
        pytest.param("语".encode("gb18030") * 98 + b"\xff", "gb18030", False, id="one of 99"),
    ],
)
def test_fits(content: bytes, codec: str, expected: bool) -> None:
    assert fits(content, codec) is expected
