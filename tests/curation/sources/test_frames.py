"""zstd and lz4 frames: blocks before damage are kept, reading goes on at the next frame, and memory is bounded."""

import random
from collections.abc import Callable
from pathlib import Path

import lz4.frame
import pytest
import zstandard

from curation.core.protocols import Piece
from curation.sources.frames import MAX_BLOCK, MAX_SKIPPED, after_skippable
from curation.sources.inflate import container, spans
from curation.sources.jsonl import Jsonl
from curation.sources.read_ahead import Window, open_raw
from tests.curation.sources.sample_archives import http, names, read, warc
from tests.curation.sources.test_jsonl import read as read_lines

Pack = Callable[[bytes], bytes]


def blocks_of_4_megabytes(data: bytes) -> bytes:
    """Independent ones, with all checksums, as the lz4 tool writes them."""
    return lz4.frame.compress(data, block_size=7, block_linked=False, content_checksum=True, block_checksum=True)


def with_checksum(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_checksum=True).compress(data)


def of_unknown_size(data: bytes) -> bytes:
    packer = zstandard.ZstdCompressor().compressobj()
    return packer.compress(data) + packer.flush()


PACKERS = [
    pytest.param(zstandard.compress, id="zstd"),
    pytest.param(with_checksum, id="zstd with checksum"),
    pytest.param(of_unknown_size, id="zstd of unknown size"),
    pytest.param(lz4.frame.compress, id="lz4"),
    pytest.param(blocks_of_4_megabytes, id="lz4 in blocks of 4 MiB"),
]
# Text that compresses well, and noise that is stored as it is.
MIXED = b"one line of text\n" * 60_000 + random.Random(0).randbytes(700_000) + bytes(3_000_000)
RECORDS = [warc(f"p{i}", http(random.Random(i).randbytes(20_000))) for i in range(50)]


def decoded(path: Path, content: bytes) -> tuple[bytes, list[tuple[int, str]]]:
    path.write_bytes(content)
    faults: list[tuple[int, str]] = []
    window = Window(open_raw(str(path)))
    found = spans(window, container(window), lambda offset, error: faults.append((offset, error)))
    return b"".join(span.data for span in found), faults


@pytest.mark.parametrize("pack", PACKERS)
@pytest.mark.parametrize("data", [b"", b"a", MIXED], ids=["nothing", "one byte", "5 MB"])
def test_frames_are_read_to_their_last_byte(tmp_path: Path, pack: Pack, data: bytes) -> None:
    assert decoded(tmp_path / "x", pack(data) + pack(b"next") + pack(b"")) == (data + b"next", [])


@pytest.mark.parametrize("pack", PACKERS)
def test_a_frame_a_record_cut_at_nine_tenths_loses_the_last_records_only(tmp_path: Path, pack: Pack) -> None:
    content = b"".join(pack(record) for record in RECORDS)
    rows, tally = read(tmp_path / "x.warc", content[: len(content) * 9 // 10])
    assert [names(rows), len(tally.faults)] == [[f"p{i}" for i in range(45)], 1]


@pytest.mark.parametrize(
    ("pack", "least"), [pytest.param(zstandard.compress, 39, id="zstd"), pytest.param(lz4.frame.compress, 42, id="lz4")]
)
def test_one_frame_cut_at_nine_tenths_loses_one_block_more(tmp_path: Path, pack: Pack, least: int) -> None:
    content = pack(b"".join(RECORDS))
    rows, tally = read(tmp_path / "x.warc", content[: len(content) * 9 // 10])
    assert least <= len(rows) <= 45
    assert names(rows) == [f"p{i}" for i in range(len(rows))]
    assert len(tally.faults) == 1


@pytest.mark.parametrize("pack", [with_checksum, blocks_of_4_megabytes])
@pytest.mark.parametrize("damaged", [0, 25, 49])
def test_reading_goes_on_at_the_frame_after_a_damaged_one(tmp_path: Path, pack: Pack, damaged: int) -> None:
    packed = [bytearray(pack(record)) for record in RECORDS]
    packed[damaged][12:40] = b"\xff" * 28
    rows, tally = read(tmp_path / "x.warc", b"".join(packed))
    assert [name for name in names(rows) if name != f"p{damaged}"] == [f"p{i}" for i in range(50) if i != damaged]
    assert [fault["offset"] for fault in tally.faults] == [sum(map(len, packed[:damaged]))]


@pytest.mark.parametrize("pack", PACKERS)
def test_the_offset_of_a_record_is_that_of_its_frame(tmp_path: Path, pack: Pack) -> None:
    first = pack(RECORDS[0])
    second = pack(RECORDS[1] + RECORDS[2])
    rows, _ = read(tmp_path / "x.warc", first + second)
    assert [row["origin_offset"] for row in rows] == [0, len(first), len(RECORDS[0] + RECORDS[1])]


@pytest.mark.parametrize("pack", [with_checksum, blocks_of_4_megabytes])
def test_damaged_json_lines_go_on_and_never_join_two_lines(tmp_path: Path, pack: Pack) -> None:
    good = b'{"text": "good"}\n'
    begin = b'{"text": "the begin'
    end = b'ning"}\n'
    torn = bytearray(pack(b'{"text": "%b"}\n' % b" ".join(b"%d" % i for i in range(2000))))
    torn[100:200] = b"\xff" * 100
    path = tmp_path / "x.jsonl"
    path.write_bytes(pack(good + begin) + torn + pack(end + good))
    rows, tally = read_lines(Jsonl(paths=()), Piece(str(path)))
    assert [row["text"] for row in rows] == ["good", "good"]
    assert any("damaged" in str(fault["error"]) for fault in tally.faults)
    assert tally.records == {"skipped.bad_json": 2}


def test_a_window_of_gigabytes_is_a_fault_that_says_what_to_do(tmp_path: Path) -> None:
    header = b"\x28\xb5\x2f\xfd" + bytes([0, 21 << 3])  # a window of 2 GiB
    out, faults = decoded(tmp_path / "x", header + b"\x01\0\0" + zstandard.compress(b"after"))
    assert out == b"after"
    assert faults[0][0] == 0
    assert "needs 2048 MiB of memory to be read, and 128 are allowed" in faults[0][1]


def test_a_block_longer_than_any_is_damage_and_not_read(tmp_path: Path) -> None:
    content = bytearray(lz4.frame.compress(b"text"))
    content[15:19] = (MAX_BLOCK + 1).to_bytes(4, "little")
    out, faults = decoded(tmp_path / "x", bytes(content) + lz4.frame.compress(b"after"))
    assert out == b"after"
    assert "a block of 4194305 bytes" in faults[0][1]


def skippable(size: int, stated: int | None = None) -> bytes:
    return b"\x50\x2a\x4d\x18" + (size if stated is None else stated).to_bytes(4, "little") + bytes(size)


@pytest.mark.parametrize("pack", PACKERS)
def test_frames_without_data_are_passed_over(tmp_path: Path, pack: Pack) -> None:
    content = skippable(4) + pack(b"one") + skippable(0) + skippable(3_000_000) + pack(b"two") + skippable(9)
    assert decoded(tmp_path / "x", content) == (b"onetwo", [])


@pytest.mark.parametrize("stated", [MAX_SKIPPED + 1, 100_000])
def test_a_frame_without_data_that_claims_too_much_swallows_nothing(tmp_path: Path, stated: int) -> None:
    content = zstandard.compress(b"one") + skippable(8, stated) + zstandard.compress(b"two")
    out, faults = decoded(tmp_path / "x", content)
    assert (out, len(faults)) == (b"onetwo", 1)


def test_after_skippable(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(skippable(4) + skippable(5) + b"rest")
    assert after_skippable(Window(open_raw(str(tmp_path / "x"))), 0) == 25
