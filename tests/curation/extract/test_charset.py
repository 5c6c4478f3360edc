"""Which encoding decides: mark, header, declaration, bytes; and what overrules a wrong declaration."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.extract.charset import decode
from curation.text.charsets.detector import detected as detect
from curation.text.charsets.labels import codec_of
from tests.curation.extract.raw_pages import records, rows
from tests.support import needs_shared_data

FRENCH = "Le maire a annoncé hier que la bibliothèque de la ville restera ouverte pendant les fêtes de fin d'année. "
RUSSIAN = "Вчера вечером мы долго гуляли по берегу реки и говорили о прошедшем лете. "
JAPANESE = "昨日は友達と一緒に川沿いを散歩して、夏の思い出について話しました。"
GREEK = "Χθες το βράδυ περπατήσαμε δίπλα στο ποτάμι και μιλήσαμε για το καλοκαίρι. "
CHINESE = "昨天晚上我们沿着河边散步，谈到了去年夏天的事情。"
TAIWANESE = "昨天晚上我們沿著河邊散步，談到了去年夏天的事情。"


def page(text: str, charset: str | None = None) -> str:
    meta = f'<meta charset="{charset}">' if charset else ""
    return f"<html><head>{meta}</head><body><p>{text * 5}</p></body></html>"


@pytest.mark.parametrize(
    ("text", "written", "declared", "header", "encoding", "source"),
    [
        pytest.param(FRENCH, "utf-8", "utf-8", None, "utf-8", "meta", id="utf-8 as declared"),
        pytest.param(FRENCH, "utf-8", None, "text/html; charset=UTF-8", "utf-8", "header", id="utf-8 by header"),
        pytest.param(FRENCH, "utf-8", None, None, "utf-8", "bytes", id="utf-8 undeclared"),
        pytest.param(FRENCH, "utf-8", "iso-8859-1", None, "utf-8", "bytes", id="utf-8 declared latin-1"),
        pytest.param(FRENCH, "cp1252", "iso-8859-1", None, "cp1252", "meta", id="latin-1 means windows-1252"),
        pytest.param(FRENCH, "cp1252", None, "text/html; charset='latin1'", "cp1252", "header", id="quoted header"),
        pytest.param(RUSSIAN, "cp1251", "windows-1251", None, "cp1251", "meta", id="windows-1251 as declared"),
        pytest.param(RUSSIAN, "cp1251", None, None, "cp1251", "bytes", id="windows-1251 undeclared"),
        pytest.param(RUSSIAN, "cp1251", "iso-8859-1", None, "cp1251", "bytes", id="Cyrillic declared latin-1"),
        pytest.param(RUSSIAN, "koi8-r", "koi8-r", "text/html; charset=iso-8859-1", "koi8-r", "meta", id="two disagree"),
        pytest.param(GREEK, "cp1253", "utf-8", None, "cp1253", "bytes", id="Greek declared utf-8"),
        pytest.param(JAPANESE, "cp932", "shift_jis", None, "cp932", "meta", id="shift_jis means cp932"),
        pytest.param(JAPANESE, "cp932", None, "text/html; charset=x-sjis", "cp932", "header", id="x-sjis"),
        pytest.param(JAPANESE, "euc_jp", "iso-8859-1", None, "euc_jp", "bytes", id="Japanese declared latin-1"),
        pytest.param(JAPANESE, "iso2022_jp", "iso-2022-jp", None, "iso2022_jp", "meta", id="iso-2022-jp"),
        pytest.param(CHINESE, "gb18030", "gb2312", None, "gb18030", "meta", id="gb2312 means gb18030"),
        pytest.param(TAIWANESE, "big5hkscs", None, None, "big5hkscs", "bytes", id="big5 undeclared"),
        pytest.param(FRENCH, "utf-16", None, None, "utf-16-le", "bom", id="utf-16 with mark"),
        pytest.param(FRENCH, "utf-16-be", None, None, "utf-16-be", "bytes", id="utf-16 without mark"),
        pytest.param(FRENCH, "utf-8-sig", "iso-8859-1", None, "utf-8", "bom", id="mark before declaration"),
        pytest.param(FRENCH, "utf-8", "utf-16", None, "utf-8", "bytes", id="meta cannot mean utf-16"),
    ],
)
def test_encoding(text: str, written: str, declared: str, header: str, encoding: str, source: str) -> None:
    html = page(text, declared)
    assert decode(html.encode(written), header) == (html, encoding, source, 0)


def test_western_text_declared_utf8_is_read_by_its_bytes() -> None:
    """Whether it is called windows-1252 or ISO 8859-15 makes no difference to this text."""
    html = page(FRENCH, "utf-8")
    text, _, source, _ = decode(html.encode("cp1252"))
    assert (text, source) == (html, "bytes")


def test_xml_declaration_and_http_equiv_are_read() -> None:
    feed = f'<?xml version="1.0" encoding="koi8-r"?><rss>{RUSSIAN}</rss>'
    old = f'<meta http-equiv="Content-Type" content="text/html; charset=koi8-r"><p>{RUSSIAN}'
    assert decode(feed.encode("koi8-r"))[1:3] == ("koi8-r", "meta")
    assert decode(old.encode("koi8-r")) == (old, "koi8-r", "meta", 0)


def test_declaration_in_a_comment_is_not_one() -> None:
    html = f'<!-- <meta charset="koi8-r"> --><meta charset="windows-1251"><p>{RUSSIAN}'
    assert decode(html.encode("cp1251"))[1:3] == ("cp1251", "meta")


def test_damaged_utf8_stays_utf8_with_replacement_characters() -> None:
    text, encoding, source, replaced = decode(page(RUSSIAN, "utf-8").encode() + b"\xff</html>")
    assert (encoding, source, replaced) == ("utf-8", "meta", 1)
    assert text == page(RUSSIAN, "utf-8") + "\ufffd</html>"


def test_empty_and_ascii_are_utf8() -> None:
    assert decode(b"") == ("", "utf-8", "bytes", 0)
    assert decode(b"<p>plain") == ("<p>plain", "utf-8", "bytes", 0)


@given(
    st.binary(max_size=200), st.sampled_from([None, "text/html; charset=utf-16", "text/html; charset=big5", "charset="])
)
@settings(max_examples=200, deadline=None)
def test_any_bytes_become_text_that_utf8_can_hold(content: bytes, content_type: str | None) -> None:
    assert isinstance(decode(content, content_type).text.encode(), bytes)


@pytest.mark.parametrize(
    ("label", "codec"),
    [
        ("UTF8", "utf-8"),
        (" 'ISO-8859-1' ", "cp1252"),
        ("us-ascii", "cp1252"),
        ("ks_c_5601-1987", "cp949"),
        ("euc-kr", "cp949"),
        ("x-gbk", "gb18030"),
        ("Windows1251", "cp1251"),
        ("win-1250", "cp1250"),
        ("iso-8859-9", "cp1254"),
        ("tis-620", "cp874"),
        ("dos-874", "cp874"),
        ("iso-8859-8-i", "iso8859-8"),
        ("x-mac-cyrillic", "mac-cyrillic"),
        ("utf8mb4", "utf-8"),
        ("rot13", None),
        ("unicode_escape", None),
        ("punycode", None),
        ("utf-7", None),
        ("none", None),
    ],
)
def test_label(label: str, codec: str | None) -> None:
    assert codec_of(label) == codec


def test_detection_ignores_declarations() -> None:
    assert detect(page(RUSSIAN, "utf-8").encode("cp1251")) == "cp1251"


@needs_shared_data
def test_as_accurate_as_the_best_public_detector() -> None:
    """204 of 205 is what chardet 7.7.0 reaches; Python cannot decode the one page in EUC-TW."""
    pages = records("charset-*.warc.gz")
    right = 0
    for row in rows("charset_truth.jsonl.gz"):
        content = pages[row["record_id"]][0]
        accepted = {content.decode(name, "replace").lstrip("\ufeff") for name in _codecs(row["encoding"])}
        right += decode(content).text in accepted
    assert right >= 204


def _codecs(label: str) -> list[str]:
    codec = codec_of(label)
    return [] if codec is None else [codec] if codec == "gb18030" else [codec, label]


@needs_shared_data
def test_wrong_declarations_of_transcoded_pages_are_overruled() -> None:
    pages = records("pages-*.warc.gz")
    wrong = [row["record_id"] for row in rows("pages.jsonl.gz") if row["meta_charset_wrong"]]
    assert len(wrong) == 28
    assert {decode(*pages[record])[1] for record in wrong} == {"utf-8"}
    assert {decode(pages[record][0])[1] for record in wrong} == {"utf-8"}
