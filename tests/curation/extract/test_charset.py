"""Which encoding decides: mark, header, declaration, bytes; and what overrules a wrong declaration."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.extract.charset import decode
from curation.text.charsets.labels import codec_of
from tests.curation.extract.raw_pages import records, rows
from tests.support import needs_shared_data

FRENCH = "Le maire a annoncé hier que la bibliothèque de la ville restera ouverte pendant les fêtes de fin d'année. "
RUSSIAN = "Вчера вечером мы долго гуляли по берегу реки и говорили о прошедшем лете. "
JAPANESE = "昨日は友達と一緒に川沿いを散歩して、夏の思い出について話しました。"
POLISH = "Wczoraj wieczorem długo szliśmy brzegiem rzeki i rozmawialiśmy o zeszłym lecie, że było piękne. "
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
        pytest.param(FRENCH, "cp1252", "macintosh", None, "cp1252", "bytes", id="Western declared Mac Roman"),
        pytest.param(RUSSIAN, "utf-16-le", None, None, "utf-16-le", "bytes", id="utf-16 with few NULs"),
        pytest.param(
            RUSSIAN, "utf-16-be", None, "text/html; charset=utf-16", "utf-16-be", "header", id="utf-16 declared"
        ),
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


@pytest.mark.parametrize("text", ["é", "été ß", "«a»", "<p title='é'>plain"])
def test_a_few_letters_are_western_where_nothing_says_more(text: str) -> None:
    assert decode(text.encode("cp1252")).text == text


@given(
    st.binary(max_size=200), st.sampled_from([None, "text/html; charset=utf-16", "text/html; charset=big5", "charset="])
)
@settings(max_examples=200, deadline=None)
def test_any_bytes_become_text_that_utf8_can_hold(content: bytes, content_type: str | None) -> None:
    assert isinstance(decode(content, content_type).text.encode(), bytes)


STYLE = "<style>" + ".a{margin:0;color:#fff}\n" * 2_000 + "</style>"


@pytest.mark.parametrize("declared", [None, "text/html; charset=iso-8859-1", "text/html; charset=utf-8"])
@pytest.mark.parametrize(
    ("text", "written"),
    [(RUSSIAN, "cp1251"), (RUSSIAN, "koi8-r"), (JAPANESE, "euc_jp"), (CHINESE, "gb18030"), (GREEK, "cp1253")],
)
def test_a_title_before_much_style_is_not_all_that_is_judged(text: str, written: str, declared: str | None) -> None:
    html = f"<title>{text[:8]}</title>{STYLE}<p>{text * 3}"
    assert decode(html.encode(written), declared) == (html, written, "bytes", 0)


@pytest.mark.parametrize("declared", [None, "text/html; charset=utf-8"])
def test_a_broken_byte_before_much_ascii_leaves_utf8(declared: str | None) -> None:
    html = f"<title>{RUSSIAN}".encode() + f"\xd0<meta>{STYLE}<p>{RUSSIAN}".encode("latin-1", "ignore")
    found = decode(html + RUSSIAN.encode(), declared)
    assert (found.encoding, found.replaced) == ("utf-8", 1)


@pytest.mark.parametrize(
    ("content", "header", "is_utf8"),
    [
        pytest.param(
            "“a” ©".encode() + b" it\x92s \x93b\x94 \x85", "utf-8", True, id="three of seven are valid, declared"
        ),
        pytest.param("“a”".encode() + b" it\x92s \x93b\x94 \x85", "utf-8", False, id="two of six are valid, declared"),
        pytest.param("“”".encode() + b" it\x92s \x93b", None, True, id="two of four are valid, undeclared"),
        pytest.param("“".encode() + b" it\x92s \x93b", None, False, id="one of three is valid, undeclared"),
        pytest.param("“’“’".encode() + b" it\x92s", "iso-8859-1", True, id="four of five are valid beside Latin-1"),
        pytest.param("“’“".encode() + b" it\x92s", "iso-8859-1", False, id="three of four are valid beside Latin-1"),
        pytest.param(b"it\x92s plain", "utf-8", False, id="nothing is valid, declared"),
        pytest.param("plain é".encode()[:-1], "utf-8", True, id="cut within a character, declared"),
        pytest.param("plain é".encode("latin-1"), None, False, id="a last letter, undeclared"),
        pytest.param(b"<p title='\x92\x92'>" + "é".encode(), None, True, id="broken in an attribute"),
        pytest.param("<p title='é'>it".encode() + b"\x92s", "utf-8", True, id="valid in an attribute, declared"),
    ],
)
def test_damaged_utf8(content: bytes, header: str | None, is_utf8: bool) -> None:
    assert (decode(content, header and f"text/html; charset={header}").encoding == "utf-8") is is_utf8


@pytest.mark.parametrize(
    ("text", "written", "declared", "encoding"),
    [
        pytest.param(RUSSIAN, "koi8-r", "windows-1251", "koi8-r", id="another Cyrillic one"),
        pytest.param(TAIWANESE, "big5hkscs", "gb2312", "big5hkscs", id="another Chinese one"),
        pytest.param(POLISH, "iso8859-2", "iso-8859-1", "iso8859-2", id="Polish as Latin-1"),
        pytest.param(FRENCH, "cp1252", "windows-1250", "cp1250", id="what reads nearly alike stays"),
        pytest.param("д. ", "koi8-r", "windows-1251", "cp1251", id="five letters are too few to overrule"),
        pytest.param("été", "cp1252", "windows-1251", "cp1252", id="letters within Latin words are not Cyrillic"),
        pytest.param("Zonja ë Çel është këtu. ", "cp1252", "iso-8859-1", "cp1252", id="Albanian stays Latin-1"),
    ],
)
def test_wrong_declarations_yield_where_the_text_is_clearly_in_another_encoding(
    text: str, written: str, declared: str, encoding: str
) -> None:
    assert decode(page(text, declared).encode(written)).encoding == encoding


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


def test_a_header_of_blanks_takes_no_time() -> None:
    assert decode(b"x", "text/html; charset=" + " " * 1_000_000) == ("x", "utf-8", "bytes", 0)
    assert decode("č".encode("iso-8859-2"), "text/html; charset = ' iso-8859-2'").encoding == "iso8859-2"
