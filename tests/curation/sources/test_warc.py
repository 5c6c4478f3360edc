"""Pages and only pages become rows, all else is counted; real archives give at least what public readers find."""

import gzip
import json
import random
import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import brotli
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curation.core.document import RAW, document_id
from curation.core.input_files import InputFile
from curation.core.protocols import Piece, ReadTally
from curation.sources.wacz import read_archive
from curation.sources.warc import Warc
from tests.curation.sources.sample import Sample
from tests.curation.sources.sample_archives import PAGE, http, members, names, read, warc, written_by_warcio
from tests.support import SHARED, needs_shared_data, table

SAMPLE = Sample(
    lambda texts: b"".join(warc(str(number), http(text.encode())) for number, text in enumerate(texts)),
    {"max_record_bytes": 2000},
)


def test_a_size_that_no_record_has() -> None:
    with pytest.raises(ValueError, match="max_record_bytes is 0; give 1 or more"):
        Warc(paths=(), max_record_bytes=0)


def test_a_page(tmp_path: Path) -> None:
    path = tmp_path / "x.warc"
    stated = ("X-Robots-Tag: noai", "TDM-Reservation: 1", "x-robots-tag: a: noindex", "Server: a")
    block = http(PAGE, "Content-Language: de-AT", *stated, media="text/html; charset=UTF-8")
    rows, tally = read(path, warc("a", block), licence="CC0-1.0")
    assert rows == [
        {
            "doc_id": document_id("web", "x.warc", 0, "<urn:test:a>"),
            "url": "https://example.org/a",
            "source": "web",
            "record_id": None,
            "crawled_at": datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC),
            "licence": "CC0-1.0",
            "declared_language": "de-AT",
            "origin": str(path),
            "origin_offset": 0,
            "truncated": None,
            "content": PAGE,
            "content_type": "text/html; charset=UTF-8",
            "preferences": "x-robots-tag: noai, a: noindex\ntdm-reservation: 1",
            "drop_reason": None,
        }
    ]
    assert (tally.records, tally.faults) == (Counter(), [])


@pytest.mark.parametrize(
    ("record", "counted"),
    [
        pytest.param(warc("a", b"x", kind="request"), "skipped.request", id="request"),
        pytest.param(warc("a", b"x", kind="Revisit"), "skipped.revisit", id="revisit"),
        pytest.param(warc("a", b"x", kind="!?"), "skipped.unknown", id="no type"),
        pytest.param(warc("a", http(status="404 Not Found")), "skipped.status.404", id="not found"),
        pytest.param(warc("a", http(media="image/png")), "skipped.type.image/png", id="image"),
        pytest.param(warc("a", http(b"{}", media=None)), "skipped.type.unknown", id="no type and not like HTML"),
        pytest.param(warc("a", http(b"{}", media="html")), "skipped.type.invalid", id="invalid type"),
        pytest.param(warc("a", PAGE), "skipped.status.missing", id="no HTTP header"),
        pytest.param(warc("a", b"x", "Content-Type: text/dns"), "skipped.type.text/dns", id="no HTTP record"),
    ],
)
def test_what_is_no_page_is_counted(tmp_path: Path, record: bytes, counted: str) -> None:
    rows, tally = read(tmp_path / "x.warc", record)
    assert (rows, tally.records, tally.faults) == ([], Counter([counted]), [])


@table(
    ("block", "content", "reason"),
    {
        "XHTML": (http(media="application/xhtml+xml"), PAGE, None),
        "no type but like HTML": (http(media=None), PAGE, None),
        "packed, no type": (http(gzip.compress(PAGE), "Content-Encoding: gzip", media=None), PAGE, None),
        "empty body": (http(b""), b"", None),
        "at the limit": (http(brotli.compress(b"x" * 400), "Content-Encoding: br"), b"x" * 400, None),
        "one past it": (http(brotli.compress(b"x" * 401), "Content-Encoding: br"), None, "extract:too_many_bytes"),
        "record past the limit": (http(b"x" * 500), None, "extract:too_many_bytes"),
        "undecodable": (http(b"\0\0", "Content-Encoding: gzip"), None, "extract:undecodable_body"),
    },
)
def test_every_page_has_a_row(tmp_path: Path, block: bytes, content: bytes | None, reason: str | None) -> None:
    rows, _ = read(tmp_path / "x.warc", warc("a", block) + warc("b"), max_record_bytes=400)
    assert [(row["content"], row["drop_reason"]) for row in rows] == [(content, reason), (PAGE, None)]


@pytest.mark.parametrize(
    ("block", "what"),
    [
        pytest.param(http(media="text/html charset=utf-8"), "media_type", id="no semicolon"),
        pytest.param(http(PAGE, "Content-Type: text/plain"), "media_type", id="two types"),
        pytest.param(http(media="html"), "media_type", id="no media type, but like HTML"),
        pytest.param(http(media="*/*"), "media_type", id="any media type, but like HTML"),
        pytest.param(http().replace(b"HTTP/", b"HTTPX/"), "status_line", id="HTTPX"),
        pytest.param(http(status="200\r"), "line_ends", id="CR CR LF behind the status"),
        pytest.param(http(status="200\n"), "line_ends", id="LF CR LF behind the status"),
        pytest.param(http().replace(b"\r\n", b"\r"), "line_ends", id="bare CR"),
        pytest.param(http().replace(b"\r\n\r\n", b"\r\n \r\n"), "line_ends", id="a last line of one space"),
    ],
)
def test_a_page_that_is_read_leniently_is_counted(tmp_path: Path, block: bytes, what: str) -> None:
    (row,), tally = read(tmp_path / "x.warc", warc("a", block))
    assert (row["content"], row["drop_reason"]) == (PAGE, None)
    assert (tally.records, tally.faults) == ({f"lenient.{what}": 1}, [])


@pytest.mark.parametrize(
    "media", ["TEXT/HTML", "text/html ; charset=utf-8", "text/html;charset=utf-8;", "text/html;;x"]
)
def test_what_the_standard_allows_is_not_lenient(tmp_path: Path, media: str) -> None:
    rows, tally = read(tmp_path / "x.warc", warc("a", http(media=media)))
    assert (len(rows), tally.records) == (1, {})


def test_what_is_no_page_is_passed_over_once(tmp_path: Path) -> None:
    _, tally = read(tmp_path / "x.warc", warc("a", http(media="image/png charset=binary")))
    assert tally.records == {"skipped.type.image/png": 1}


def test_records_with_lower_case_versions_are_counted(tmp_path: Path) -> None:
    low = warc("a").replace(b"WARC/1.0", b"warc/1.0")
    rows, tally = read(tmp_path / "x.warc", low + warc("b") + low + warc("c", b"x", kind="request") + low)
    assert (len(rows), tally.records, tally.faults) == (4, {"lenient.warc_header": 3, "skipped.request": 1}, [])


def test_fields_that_are_missing_or_odd(tmp_path: Path) -> None:
    record = warc("a").replace(b"WARC-Record-ID", b"X").replace(b"2020-01-02T03:04:05Z", b"soon")
    record = record.replace(b"https://example.org/a", b"<https://example.org/a>")
    (row, other), _ = read(tmp_path / "x.warc", record + record.replace(b"Hello", b"World"))
    assert (row["url"], row["crawled_at"]) == ("https://example.org/a", None)
    assert row["doc_id"] != other["doc_id"]


# warcio leaves its spool files to the collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("compressed", [True, False])
def test_an_archive_as_warcio_writes_it(tmp_path: Path, compressed: bool) -> None:
    bodies = [PAGE * (i + 1) for i in range(5)]
    rows, tally = read(tmp_path / "x", written_by_warcio(bodies, compressed=compressed))
    assert [row["content"] for row in rows] == bodies
    assert tally.records == {"skipped.warcinfo": 1, "skipped.request": 5}


def test_batches_have_at_most_1000_rows(tmp_path: Path) -> None:
    path = tmp_path / "x.warc.gz"
    path.write_bytes(gzip.compress(b"".join(warc(f"{i}") for i in range(1001))))
    batches = list(Warc(paths=()).read((Piece(str(path)),), "web", ReadTally()))
    assert [len(batch) for batch in batches] == [1000, 1]
    assert batches[0].schema == RAW


def test_batches_have_at_most_16_mebibytes(tmp_path: Path) -> None:
    path = tmp_path / "x.warc.gz"
    path.write_bytes(b"".join(members(warc(f"{i}", http(b"x" * (6 << 20)))) for i in range(3)))
    assert [len(batch) for batch in Warc(paths=()).read((Piece(str(path)),), "web", ReadTally())] == [2, 1]


def test_split_groups_archives_and_never_cuts_them() -> None:
    source = Warc(paths=())
    files = [InputFile("a", 4), InputFile("b", 6), InputFile("c", 1), InputFile("d", 99), InputFile("e", 1)]
    units = source.split(files, group_bytes=10, split_bytes=5)
    assert [[piece.path for piece in unit] for unit in units] == [["a", "b"], ["c"], ["d"], ["e"]]


RECORDS = [warc(f"p{i}", http(b"<html>" + bytes(range(256)) * (3 * i + 1))) for i in range(4)]
PACKED = [gzip.compress(record, mtime=0) for record in RECORDS]
SHAPES = {
    "plain": (b"".join(RECORDS), [sum(map(len, RECORDS[: i + 1])) for i in range(4)]),
    "members": (b"".join(PACKED), [sum(map(len, PACKED[: i + 1])) for i in range(4)]),
}


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    shape=st.sampled_from(sorted(SHAPES)),
    at=st.integers(0, 5000),
    damage=st.one_of(st.binary(min_size=0, max_size=40), st.none()),
    width=st.integers(0, 60),
)
def test_damage_loses_no_record_before_it(
    tmp_path: Path, shape: str, at: int, damage: bytes | None, width: int
) -> None:
    whole, ends = SHAPES[shape]
    at %= len(whole)
    broken = whole[:at] + (b"" if damage is None else damage + whole[at + width :])
    rows, tally = read(tmp_path / "x", broken)
    before = [f"p{i}" for i, end in enumerate(ends) if end <= at]
    assert names(rows)[: len(before)] == before
    for row, i in zip(rows, range(len(before)), strict=False):
        assert row["content"] == b"<html>" + bytes(range(256)) * (3 * i + 1)
    assert len(tally.faults) < 20


# Lines of an HTTP message that warcio takes for ARC records: there is no further record in these files.
PHANTOMS = {
    "ipwb__broken.warc": 2,
    "jwat__invalid-warcfile-fields-empty.warc": 1,
    "jwat__invalid-warcfile-fields-invalidformat.warc": 1,
}


def _real_archives() -> list[dict[str, object]]:
    listing = SHARED / "crawl" / "expected.jsonl"
    return [json.loads(line) for line in listing.read_text().splitlines()] if listing.exists() else []


@needs_shared_data
@pytest.mark.parametrize("expected", [pytest.param(row, id=str(row["file"])) for row in _real_archives()])
def test_real_archives_give_what_the_better_of_two_readers_finds(expected: dict[str, dict[str, int]]) -> None:
    name = str(expected["file"])
    path = SHARED / "crawl" / name
    found = [record for _, record in read_archive(str(path), lambda *_: None, max_block=32 << 20)]
    best = max(expected["warcio_1_8_1"]["records"], expected["fastwarc_2_0_1"]["records"])
    assert len(found) >= best - PHANTOMS.get(name, 0)
    content = path.read_bytes()
    if expected["container"] == "plain" and content.startswith(b"WARC/"):
        assert len(found) == len(re.findall(rb"^WARC/[01]\.\d+\r?$", content, re.MULTILINE))


def test_one_record_twice_in_a_file_is_two_documents(tmp_path: Path) -> None:
    """Also where a gzip member begins at the number at which a record in another one lies when decompressed."""
    block = http(b"<html>" + random.Random(1).randbytes(300))
    stored = gzip.compress(warc("a", block) * 2, compresslevel=0, mtime=0)
    at = len(warc("a", block))
    filler = b"\n" * (2 * at)
    made = stored + gzip.compress(filler + warc("a", block) * 2, mtime=0) + members(*[warc("a", block)] * 3)
    rows, _ = read(tmp_path / "x.warc.gz", made)
    assert len(rows) == 7
    assert len({row["doc_id"] for row in rows}) == 7
