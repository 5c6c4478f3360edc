"""Decompression: what comes before damage is kept, and reading goes on at the next record."""

import gzip
import random
from pathlib import Path

import pyarrow as pa
import pytest
import zstandard

from curation.sources.inflate import container, spans
from curation.sources.read_ahead import Window, open_raw
from tests.curation.sources.sample_archives import members, names, read, warc

PAGES = [warc(f"p{i}", None) for i in range(4)]


def inflated(path: Path, content: bytes) -> tuple[bytes, list[int]]:
    path.write_bytes(content)
    faults: list[int] = []
    window = Window(open_raw(str(path)))
    out = spans(window, container(window), lambda offset, _: faults.append(offset))
    return b"".join(span.data for span in out), faults


@pytest.mark.parametrize(
    ("pack", "name"),
    [
        (gzip.compress, "gzip"),
        (zstandard.compress, "zstd"),
        (lambda data: pa.compress(data, "lz4", asbytes=True), "lz4"),
        (bytes, None),
    ],
)
def test_each_compression_is_known_by_its_first_bytes(tmp_path: Path, pack: object, name: str | None) -> None:
    assert callable(pack)
    data = random.Random(0).randbytes(3_000_000)
    path = tmp_path / "x"
    assert inflated(path, pack(data)) == (data, [])
    codec = container(Window(open_raw(str(path))))
    assert (codec and codec.name) == name


def test_a_clipped_gzip_file_gives_all_that_is_there(tmp_path: Path) -> None:
    data = random.Random(0).randbytes(100_000)
    out, faults = inflated(tmp_path / "x", gzip.compress(data)[:50_000])
    assert len(out) > 49_000
    assert data.startswith(out)
    assert faults == [0]


def test_a_wrong_checksum_loses_nothing(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(b"all of it"))
    packed[-8] ^= 1
    assert inflated(tmp_path / "x", bytes(packed)) == (b"all of it", [0])


def test_padding_between_members_is_no_fault(tmp_path: Path) -> None:
    assert inflated(tmp_path / "x", gzip.compress(b"a") + b"\0" * 99 + gzip.compress(b"b") + b"\n") == (b"ab", [])


@pytest.mark.parametrize("damaged", [0, 1, 2, 3])
def test_a_flipped_byte_in_a_member_costs_at_most_that_record(tmp_path: Path, damaged: int) -> None:
    packed = [bytearray(members(page)) for page in PAGES]
    packed[damaged][len(packed[damaged]) // 2] ^= 0xFF
    rows, tally = read(tmp_path / "x.warc.gz", b"".join(packed))
    assert set(names(rows)) >= {f"p{i}" for i in range(4) if i != damaged}
    assert len(tally.faults) == 1
    assert tally.faults[0]["offset"] == sum(map(len, packed[:damaged]))


def test_a_damaged_first_magic_costs_the_first_record(tmp_path: Path) -> None:
    rows, tally = read(tmp_path / "x.warc.gz", b"\0\0\0" + members(*PAGES)[3:])
    assert names(rows) == ["p1", "p2", "p3"]
    assert len(tally.faults) == 1


def test_garbage_between_members(tmp_path: Path) -> None:
    content = members(PAGES[0]) + b"\x1f\x8b\x08garbage" * 50 + members(PAGES[1])
    rows, tally = read(tmp_path / "x.warc.gz", content)
    assert names(rows) == ["p0", "p1"]
    assert len(tally.faults) == 1


def test_a_clipped_member_before_others(tmp_path: Path) -> None:
    rows, tally = read(tmp_path / "x.warc.gz", members(PAGES[0])[:-60] + members(*PAGES[1:]))
    assert names(rows)[-3:] == ["p1", "p2", "p3"]
    assert len(tally.faults) == 1


def test_a_long_damaged_member_before_others(tmp_path: Path) -> None:
    """Longer than what is kept of the file, so that the search cannot begin where the member did."""
    noise = warc("noise", random.Random(0).randbytes(3_000_000), kind="resource")
    damaged = bytearray(members(noise))
    damaged[-8] ^= 0xFF  # the checksum, which is read last
    rows, tally = read(tmp_path / "x.warc.gz", bytes(damaged) + members(*PAGES))
    assert names(rows) == ["p0", "p1", "p2", "p3"]
    assert len(tally.faults) == 1


def test_a_gap_is_told_across_an_empty_member(tmp_path: Path) -> None:
    damaged = bytearray(gzip.compress(b"x" * 1000))
    damaged[20] ^= 0xFF
    (tmp_path / "x").write_bytes(bytes(damaged) + gzip.compress(b"") + gzip.compress(b"after"))
    window = Window(open_raw(str(tmp_path / "x")))
    found = list(spans(window, container(window), lambda *_: None))
    assert [(span.data, span.gap) for span in found][-1] == (b"after", True)


def test_damaged_lines_in_gzip_members_go_on_at_the_next(tmp_path: Path) -> None:
    packed = [bytearray(gzip.compress(b"line %d\n" % i)) for i in range(4)]
    packed[1][12] ^= 0xFF
    out, faults = inflated(tmp_path / "x", b"".join(packed))
    assert out.endswith(b"line 2\nline 3\n")
    assert faults == [len(packed[0])]
