"""Framing: every record that is there, none that is not, and one fault for each damage."""

from pathlib import Path

import pytest

from curation.sources.archive import Record
from curation.sources.fields import header_end
from curation.sources.record_start import WARC_SEEN
from curation.sources.wacz import read_archive
from tests.curation.sources.sample_archives import http, members, warc
from tests.support import table

A = warc("a")
B = warc("b")
C = warc("c")
SHORT = warc("a", length=5)
ARC_HEAD = b"filedesc://x.arc 0.0.0.0 20200102030405 text/plain 14\n1 0 Test\nline\n\n"


def arc(name: str, block: bytes, length: str | None = None) -> bytes:
    return (
        f"http://example.org/{name} 1.2.3.4 20200102030405 text/html {length or len(block)}\n".encode() + block + b"\n"
    )


def records(path: Path, content: bytes, max_block: int = 1 << 20) -> tuple[list[Record], list[tuple[int, str]]]:
    path.write_bytes(content)
    faults: list[tuple[int, str]] = []
    found = read_archive(str(path), lambda _, offset, error: faults.append((offset, error)), max_block=max_block)
    return [record for _, record in found], faults


@pytest.mark.parametrize(
    ("content", "ids", "faults"),
    [
        pytest.param(b"", "", [], id="empty file"),
        pytest.param(b"\r\n\r\n", "", [], id="newlines only"),
        pytest.param(A + B, "ab", [], id="plain"),
        pytest.param(A.replace(b"\r\n", b"\n"), "a", [0], id="line feeds only, so shorter than stated"),
        pytest.param(A.rstrip() + B, "ab", [], id="no newlines between records"),
        pytest.param(A + b"\r\n" * 5000 + B, "ab", [], id="10,000 bytes of newlines between records"),
        pytest.param(A + b"garbage\r\n" + B, "ab", [len(A)], id="garbage between records"),
        pytest.param(A + b"\0" * 3_000_000 + B, "ab", [len(A)], id="3 MB of garbage between records"),
        pytest.param(b"garbage" + A + B, "ab", [0], id="garbage before the first record"),
        pytest.param(A + B[:40], "a", [len(A)], id="cut inside a header"),
        pytest.param(A + B[:-20], "ab", [len(A)], id="cut inside a block"),
        pytest.param(A[:-4], "a", [], id="cut before the newlines at the end"),
        pytest.param(warc("a", length=10**9) + B + C, "abc", [0], id="Content-Length beyond the end"),
        pytest.param(warc("a", length=200) + B + C, "abc", [0], id="Content-Length reaches into the next record"),
        pytest.param(SHORT + B, "ab", [0], id="Content-Length too short"),
        pytest.param(warc("a").replace(b"Content-Length", b"Content-Langth") + B, "ab", [0], id="no Content-Length"),
        pytest.param(warc("a").replace(b"Content-Length: ", b"Content-Length: -") + B, "ab", [0], id="negative"),
        pytest.param(A.replace(b"WARC/1.0", b"WXRC/1.0") + B, "b", [0], id="damaged version line"),
        pytest.param(A.replace(b"WARC", b"warc") + B.replace(b"WARC/1.0", b"Warc/1.0"), "ab", [], id="lower case"),
        pytest.param(A + b"junk" + B.replace(b"WARC/1.0", b"warc/1.0"), "ab", [len(A)], id="lower case behind garbage"),
        pytest.param(A.replace(b"1.0\r\n", b"1.0 \r\r\n") + B, "ab", [], id="CR CR LF behind the version"),
        pytest.param(A.replace(b"1.0\r\n", b"1.0\n\r\n") + B, "ab", [], id="LF CR LF behind the version"),
        pytest.param(A.replace(b"/1.0", b"/1") + B.replace(b"/1.0", b"/1.1.0"), "ab", [], id="other version numbers"),
        pytest.param(b"not an archive\n" * 100, "", [0], id="not an archive"),
        pytest.param(b"GET /x HTTP/1.0\nHost: a b c 5\n", "", [0], id="a line of five words is no ARC record"),
    ],
)
def test_warc(tmp_path: Path, content: bytes, ids: str, faults: list[int]) -> None:
    found, told = records(tmp_path / "x.warc", content)
    assert "".join(record.headers["warc-record-id"][-2] for record in found) == ids
    assert [offset for offset, _ in told] == faults


def test_a_block_is_what_its_length_says(tmp_path: Path) -> None:
    found, _ = records(tmp_path / "x.warc", warc("a", b"0123456789", kind="resource") + B)
    assert (found[0].block, found[0].kind, found[0].length) == (b"0123456789", "resource", 10)
    assert found[1].block == http()


def test_a_damaged_next_record_does_not_shorten_the_one_before(tmp_path: Path) -> None:
    found, _ = records(tmp_path / "x.warc", A + b"WXRC" + B[4:])
    assert [record.block for record in found] == [http()]


def test_a_record_inside_a_record_is_not_one_of_the_archive(tmp_path: Path) -> None:
    found, faults = records(tmp_path / "x.warc", warc("a", B + C, kind="resource") + warc("d"))
    assert [record.block for record in found] == [B + C, http()]
    assert not faults


def test_continuation_lines(tmp_path: Path) -> None:
    found, _ = records(tmp_path / "x.warc", A.replace(b"WARC-Type: response", b"WARC-Type:\r\n\tresponse"))
    assert found[0].kind == "response"


def test_offsets_are_of_members_where_a_record_begins_one(tmp_path: Path) -> None:
    content = members(A, B)
    found, _ = records(tmp_path / "x.warc.gz", content)
    assert [record.offset for record in found] == [0, content.index(b"\x1f\x8b\x08", 3)]


def test_offsets_are_of_decompressed_bytes_where_a_member_holds_many(tmp_path: Path) -> None:
    found, faults = records(tmp_path / "x.warc.gz", members(A + B + C))
    assert [record.offset for record in found] == [0, len(A), len(A + B)]
    assert not faults


def test_a_member_that_begins_with_a_record_ends_the_one_before(tmp_path: Path) -> None:
    found, faults = records(tmp_path / "x.warc.gz", members(warc("a", length=9999), B, C))
    assert [record.headers["warc-record-id"][-2] for record in found] == ["a", "b", "c"]
    assert len(faults) == 1


def test_a_record_may_span_members(tmp_path: Path) -> None:
    whole = warc("a", b"x" * 1000) + B
    found, faults = records(tmp_path / "x.warc.gz", members(whole[:300], whole[300:900], whole[900:]))
    assert [len(record.block) for record in found] == [1000, len(http())]
    assert not faults


@pytest.mark.parametrize("pack", [lambda *r: b"".join(r), members, lambda *r: members(b"".join(r))])
def test_a_block_at_the_limit_is_held_and_one_past_it_is_not(tmp_path: Path, pack: object) -> None:
    assert callable(pack)
    found, faults = records(tmp_path / "x", pack(warc("a", b"y" * 100), warc("b", b"y" * 101), C), max_block=100)
    assert [(record.length, record.too_long) for record in found] == [(100, False), (101, True), (len(http()), False)]
    assert not faults


def test_a_member_ends_a_block_that_is_too_long_to_be_held(tmp_path: Path) -> None:
    content = members(warc("a", length=10**7), B)
    found, faults = records(tmp_path / "x.warc.gz", content, max_block=100)
    assert [(record.block, record.too_long) for record in found] == [(http(), False), (http(), False)]
    assert len(faults) == 1
    found, faults = records(tmp_path / "x.warc.gz", content, max_block=len(http()) - 1)
    assert [record.too_long for record in found] == [True, True]
    assert len(faults) == 1


def test_arc(tmp_path: Path) -> None:
    found, faults = records(tmp_path / "x.arc", ARC_HEAD + arc("a", http()) + arc("b", b""))
    assert [(record.kind, record.length) for record in found] == [
        ("warcinfo", 14),
        ("response", len(http())),
        ("response", 0),
    ]
    assert found[1].headers == {
        "warc-target-uri": "http://example.org/a",
        "warc-date": "20200102030405",
        "content-type": "text/html",
    }
    assert not faults


def test_arc_with_a_wrong_length(tmp_path: Path) -> None:
    found, faults = records(
        tmp_path / "x.arc", ARC_HEAD + arc("a", http(), "9999") + arc("b", http(), "7") + arc("c", b"x")
    )
    assert [record.headers["warc-target-uri"][-1] for record in found[1:]] == ["a", "b", "c"]
    assert [len(record.block) for record in found[1:]] == [len(http()) + 1, len(http()) + 1, 1]
    assert len(faults) == 2


def test_arc_version_2(tmp_path: Path) -> None:
    line = b"http://example.org/v 1.2.3.4 20200102030405 text/html 200 - - 0 x.arc 3\nabc\n"
    found, faults = records(tmp_path / "x.arc", ARC_HEAD + line)
    assert (found[1].block, found[1].headers["content-type"]) == (b"abc", "text/html")
    assert not faults


DESCRIPTION = b"1 0 Test\nURL IP-address Archive-date Content-type Archive-length\n\n"


@pytest.mark.parametrize(
    ("line", "stated"),
    [
        pytest.param(b"filedesc:// - - - 66", True, id="dashes"),
        pytest.param(b"filedesc://x.arc 0 19960923142103 text/plain 200 - - 0 x.arc 66", True, id="an IP address of 0"),
        pytest.param(b"filedesc://x.arc crawler.example 19960923 text/plain 66", True, id="a name for an address"),
        pytest.param(b"filedesc://x.arc 0.0.0.0 19960923142103 text/plain 66 ", True, id="a space behind"),
        pytest.param(b"filedesc:x|\\\\y a.b.c.d blue_monday gif\\\\image one", False, id="nonsense"),
        pytest.param(b"filedesc:", False, id="nothing else"),
    ],
)
@pytest.mark.parametrize("pack", [lambda *r: b"".join(r), members, lambda *r: members(b"".join(r))])
def test_an_arc_whose_description_has_odd_fields(tmp_path: Path, line: bytes, stated: bool, pack: object) -> None:
    assert callable(pack)
    content = pack(line + b"\n" + DESCRIPTION, arc("a", http()), arc("b", b""))
    found, faults = records(tmp_path / "x.arc", content)
    assert [(record.kind, record.length, record.lenient) for record in found] == [
        ("warcinfo", len(DESCRIPTION), ("arc_line",)),
        ("response", len(http()), ()),
        ("response", 0, ()),
    ]
    assert bool(faults) is not stated


@table(
    ("line", "url", "date", "media"),
    {
        "-": (b"http://a.b/c d - 20200102030405 text/html 3", "http://a.b/c d", "20200102030405", "text/html"),
        "version 2": (b"http://a.b/ x.y 20200102 a/b 200 - - 0 x.arc 3", "http://a.b/", "20200102", "a/b"),
        "no type": (b"http://a.b/ 1.2.3.4 20200102 3", "http://a.b/", "20200102", ""),
        "dashes": (b"http://a.b/ - - - 3", "http://a.b/", "-", "-"),
    },
)
def test_an_arc_line_with_odd_fields(tmp_path: Path, line: bytes, url: str, date: str, media: str) -> None:
    found, faults = records(tmp_path / "x.arc", ARC_HEAD + line + b"\nabc\n" + arc("b", b""))
    assert found[1].headers == {"warc-target-uri": url, "warc-date": date, "content-type": media}
    assert [(record.block, record.lenient) for record in found[1:]] == [(b"abc", ("arc_line",)), (b"", ())]
    assert not faults


@pytest.mark.parametrize(
    "part", [b" ", b"a:", b"a: ", b" 1.2.3.4 1", b" 1", b"1", b"\r", b"filedesc: ", b"WARC/1.0", b"WARC/1.0\r"]
)
def test_hostile_lines_are_read_in_one_pass(tmp_path: Path, part: bytes) -> None:
    found, _ = records(tmp_path / "x.arc", b"filedesc:" + part * 60_000 + b"\n" + part * 60_000 + b"\n\n" + A)
    assert len(found) <= 2


def test_a_header_without_an_end_does_not_take_the_header_of_the_next_record() -> None:
    cut = b"WARC/1.0\nWARC-Type: response\n"
    whole = b"WARC/1.0\nWARC-Type: warcinfo\nContent-Length: 1\n \nA\n\n"
    found = header_end(cut + whole, 8, len(cut + whole), WARC_SEEN)
    assert found is None
    assert header_end(cut + whole, 8, len(cut + whole)) is not None
