"""Records end where the next one begins, whatever length they state, and no right length is doubted."""

import gzip
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from curation.sources.archive import Record
from curation.sources.record_end import HTTP_HEAD
from tests.curation.sources.sample_archives import http, members, warc
from tests.curation.sources.test_archive import ARC_HEAD, arc, records
from tests.curation.sources.test_wet import read as read_wet
from tests.curation.sources.test_wet import record as wet
from tests.support import SHARED, needs_shared_data, table

PAGE = http(b"<html><body><p>Some text of a page, and its end.</p></body></html>")
STATED = http(b"<html><body><p>It states its length.</p></body></html>", "Content-Length: 54")
INNER = b"<html><pre>\r\n" + warc("inner") + b"</pre></html>"
NESTED = http(INNER, f"Content-Length: {len(INNER)}")
MENTION = http(b"<html><pre>\nWARC/1.0\nName: value\n</pre><p>WARC/1.0\r\nWARC-Type: response</p></html>")

Pack = Callable[..., bytes]
PACKS = {
    "plain": lambda *each: b"".join(each),
    "a gzip member each": members,
    "one gzip member": lambda *each: gzip.compress(b"".join(each)),
    "a zstd frame each": lambda *each: b"".join(map(zstandard.compress, each)),
    "one zstd frame": lambda *each: zstandard.compress(b"".join(each)),
}
packed = table("pack", PACKS)


def name(record: Record) -> str:
    return record.headers.get("warc-record-id", "")[10:-1]


@packed
@pytest.mark.parametrize(
    "error", [-200, -60, -30, -20, -10, -5, -4, -3, -2, -1, 5, 8, 10, 12, 15, 20, 30, 60, 200, 5000]
)
@pytest.mark.parametrize("block", [http(b"<p>%b</p>" % (b"Some words. " * 50)), STATED], ids=["page", "with a length"])
def test_a_wrong_length_costs_no_text_and_no_record(tmp_path: Path, pack: Pack, error: int, block: bytes) -> None:
    length = max(len(block) + error, 0)
    found, faults = records(tmp_path / "x", pack(warc("a", block, length=length), warc("b"), warc("c")))
    assert [(name(record), record.block) for record in found] == [("a", block), ("b", http()), ("c", http())]
    assert [record.lenient for record in found] == [("content_length",), (), ()]
    assert [str(length) in text for _, text in faults] == [True]


@packed
@pytest.mark.parametrize("error", [1, 2, 3, 4])
def test_a_length_that_reaches_into_the_empty_lines(tmp_path: Path, pack: Pack, error: int) -> None:
    found, _ = records(tmp_path / "x", pack(warc("a", STATED, length=len(STATED) + error), warc("b")))
    assert [(record.block, record.lenient) for record in found] == [(STATED, ("content_length",)), (http(), ())]
    ends = b"text\r\n\r\n"  # of the block, with no empty lines behind it
    found, faults = records(tmp_path / "y", pack(warc("a", ends, kind="resource")[:-4], warc("b")))
    assert [(record.block, record.lenient) for record in found] == [(ends, ()), (http(), ())]
    assert faults == []


@packed
def test_every_length_wrong(tmp_path: Path, pack: Pack) -> None:
    content = pack(*(warc(str(i), PAGE, length=len(PAGE) + (10 if i % 2 else -10)) for i in range(20)))
    found, faults = records(tmp_path / "x", content)
    assert [(name(record), record.block) for record in found] == [(str(i), PAGE) for i in range(20)]
    assert len(faults) == 20


@packed
@pytest.mark.parametrize("block", [NESTED, MENTION, warc("inner") * 2], ids=["a record", "a mention", "an archive"])
def test_a_block_that_holds_the_beginning_of_a_record_is_not_cut(tmp_path: Path, pack: Pack, block: bytes) -> None:
    content = pack(warc("a", block), warc("b", block), warc("c"))
    for most in (1 << 20, 100):  # as a block that is held, and as one that is too long
        found, faults = records(tmp_path / "x", content, max_block=most)
        assert ([name(record) for record in found], faults) == (["a", "b", "c"], [])
    assert found[0].length == len(block)


@packed
@pytest.mark.parametrize("error", [-20, -1, 5, 20])
@pytest.mark.parametrize("block", [NESTED, MENTION], ids=["a record in a page that states its length", "a mention"])
def test_nor_if_its_length_is_wrong(tmp_path: Path, pack: Pack, error: int, block: bytes) -> None:
    found, _ = records(tmp_path / "x", pack(warc("a", block, length=len(block) + error), warc("b")))
    assert [(name(record), record.block) for record in found] == [("a", block), ("b", http())]


@packed
@pytest.mark.parametrize("error", [-30, -8, -1, 2, 5, 20, 60])
def test_arc(tmp_path: Path, pack: Pack, error: int) -> None:
    content = pack(ARC_HEAD, arc("a", PAGE, str(len(PAGE) + error)), arc("b", PAGE), arc("c", b""))
    found, faults = records(tmp_path / "x", content)
    assert [record.headers["warc-target-uri"][-1] for record in found[1:]] == ["a", "b", "c"]
    assert [record.block.rstrip() for record in found[1:]] == [PAGE, PAGE, b""]
    assert ([record.lenient for record in found[1:]], len(faults)) == ([("content_length",), (), ()], 1)


@packed
def test_wet_lengths_in_characters(tmp_path: Path, pack: Pack) -> None:
    text = "Погода и море\n\nвторая строка\n" * 20
    one = wet(text.encode(), "conversion")
    wrong = one.replace(b"Content-Length: %d" % len(text.encode()), b"Content-Length: %d" % len(text))
    assert wrong != one
    path = tmp_path / "x.wet"
    path.write_bytes(pack(wrong, wrong, one))
    rows, tally = read_wet(path)
    assert [row["text"] for row in rows] == [text] * 3
    assert tally.records == {"lenient.content_length": 2}


@packed
@pytest.mark.parametrize("length", [10**9, 10**15])
def test_a_length_beyond_what_is_held(tmp_path: Path, pack: Pack, length: int) -> None:
    found, faults = records(tmp_path / "x", pack(warc("a", PAGE, length=length), warc("b"), warc("c")))
    assert [(name(record), record.block) for record in found] == [("a", PAGE), ("b", http()), ("c", http())]
    assert len(faults) == 1


@packed
def test_a_block_that_is_too_long_and_states_more_than_it_has(tmp_path: Path, pack: Pack) -> None:
    long = http(b"x" * 3_000_000)
    found, faults = records(tmp_path / "x", pack(warc("a", long, length=10**9), warc("b")), max_block=HTTP_HEAD)
    assert [(name(record), record.too_long) for record in found] == [("a", True), ("b", False)]
    assert len(faults) == 1


@table(
    ("content", "cut"),
    {
        "the file ends in the block": (warc("a", PAGE)[:-20], [True]),
        "the file ends behind the block": (warc("a", PAGE)[:-4], [False]),
        "the file ends in a member": (members(warc("a", PAGE), warc("b", PAGE))[:-20], [False, True]),
        "too long at the end of the file": (warc("a", PAGE, length=len(PAGE) + 9), [False]),
        "too short at the end of the file": (warc("a", PAGE, length=len(PAGE) - 9), [False]),
        "no length": (warc("a", PAGE).replace(b"Content-Length", b"Length"), [False]),
    },
)
def test_blocks_that_are_cut(tmp_path: Path, content: bytes, cut: list[bool]) -> None:
    found, _ = records(tmp_path / "x", content)
    assert [record.cut for record in found] == cut


@pytest.mark.parametrize("record", [b"WARC/1.0\nA: b\nContent-Length: 3\n\nabcdef\n", b"WARC/1.0\na:\n \n"])
def test_records_that_name_nothing_are_searched_once(tmp_path: Path, record: bytes) -> None:
    start = time.perf_counter()
    found, _ = records(tmp_path / "x", record * 20_000)
    assert found
    assert time.perf_counter() - start < 20


@needs_shared_data
def test_real_lengths_that_are_wrong(tmp_path: Path) -> None:
    for path in sorted((SHARED / "cases" / "records" / "lengths2").iterdir()):
        found, _ = records(tmp_path / "x", path.read_bytes())
        words = [b"LAST-WORDS-%d</p>" % i in record.block for i, record in enumerate(found)]
        assert (words, any(b"WARC/1.0" in record.block for record in found)) == ([True] * 4, False)
