"""Archives of zstd frames that need a dictionary: it is read in each form, and one that cannot be read is one fault."""

import io
import random
import zipfile
from functools import cache
from pathlib import Path

import pytest
import zstandard

from curation.sources.zstd_dictionaries import MAX_DICTIONARY
from tests.curation.sources.sample_archives import http, names, read, warc
from tests.support import SHARED, needs_shared_data, table

WORDS = "harbour ladder gardener kettle bicycle lantern orchard miller bridge notebook".split()


def records(count: int, begin: str = "p") -> list[bytes]:
    """Records that share words but not sentences."""
    rng = random.Random(begin)
    texts = [" ".join(rng.choices(WORDS, k=200)) for _ in range(count)]
    return [warc(f"{begin}{i}", http(f"<html><p>{text}</p></html>".encode())) for i, text in enumerate(texts)]


@cache
def dictionary(begin: str = "p") -> zstandard.ZstdCompressionDict:
    return zstandard.train_dictionary(2048, [*records(100, begin)])


def frame(content: bytes, stated: int | None = None) -> bytes:
    """A skippable frame of the type that holds a dictionary."""
    return b"\x5d\x2a\x4d\x18" + (len(content) if stated is None else stated).to_bytes(4, "little") + content


def packed(found: zstandard.ZstdCompressionDict, contents: list[bytes]) -> bytes:
    packer = zstandard.ZstdCompressor(dict_data=found)
    return b"".join(map(packer.compress, contents))


RECORDS = records(5)
NAMES = [f"p{i}" for i in range(5)]


@table(
    "head",
    {
        "as it is": frame(dictionary().as_bytes()),
        "compressed": frame(zstandard.compress(dictionary().as_bytes())),
        "behind a frame of another type": b"\x50\x2a\x4d\x18\4\0\0\0rest" + frame(dictionary().as_bytes()),
        "in place of another one": frame(dictionary("q").as_bytes()) + frame(dictionary().as_bytes()),
    },
)
def test_a_dictionary_is_used_for_the_frames_after_it(tmp_path: Path, head: bytes) -> None:
    rows, tally = read(tmp_path / "x.warc.zst", head + packed(dictionary(), RECORDS))
    assert (names(rows), tally.faults) == (NAMES, [])
    assert rows[0]["origin_offset"] == len(head)
    assert b"".join(row["content"] for row in rows) == b"".join(
        r.partition(b"\r\n\r\nHTTP")[2].split(b"\r\n\r\n")[1] for r in RECORDS
    )


def test_a_dictionary_without_tables_and_frames_that_do_not_name_theirs(tmp_path: Path) -> None:
    raw = zstandard.ZstdCompressionDict(RECORDS[0], dict_type=zstandard.DICT_TYPE_RAWCONTENT)
    rows, tally = read(tmp_path / "x.warc.zst", frame(RECORDS[0]) + packed(raw, RECORDS))
    assert (names(rows), tally.faults) == (NAMES, [])
    silent = zstandard.ZstdCompressor(dict_data=dictionary(), write_dict_id=False)
    content = frame(dictionary().as_bytes()) + b"".join(map(silent.compress, RECORDS))
    rows, tally = read(tmp_path / "y.warc.zst", content)
    assert (names(rows), tally.faults) == (NAMES, [])


def test_two_archives_joined_keep_their_own_dictionaries(tmp_path: Path) -> None:
    other = records(5, "q")
    parts = [(dictionary(), RECORDS), (dictionary("q"), other)]
    content = b"".join(frame(found.as_bytes()) + packed(found, part) for found, part in parts)
    rows, tally = read(tmp_path / "x.warc.zst", content)
    assert (names(rows), tally.faults) == ([*NAMES, *(f"q{i}" for i in range(5))], [])


def test_reading_goes_on_after_damage_with_the_dictionary(tmp_path: Path) -> None:
    frames = [bytearray(packed(dictionary(), [one])) for one in RECORDS]
    frames[2][20:60] = b"\xff" * 40
    rows, tally = read(tmp_path / "x.warc.zst", frame(dictionary().as_bytes()) + b"".join(frames))
    assert [name for name in names(rows) if name != "p2"] == ["p0", "p1", "p3", "p4"]
    assert len(tally.faults) == 1


def test_a_dictionary_in_a_wacz(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("archive/data.warc.zst", frame(dictionary().as_bytes()) + packed(dictionary(), RECORDS))
    rows, tally = read(tmp_path / "x.wacz", out.getvalue())
    assert (names(rows), tally.faults) == (NAMES, [])


PLAIN = zstandard.compress(records(1, "z")[0])  # needs no dictionary


@table(
    ("head", "error"),
    {
        "none": (b"", f"needs dictionary {dictionary().dict_id()}, which the file does not hold before it"),
        "another one": (frame(dictionary("q").as_bytes()), f"needs dictionary {dictionary().dict_id()}"),
        "4 GB are stated": (frame(b"", (1 << 32) - 1), "dictionary states 4,294,967,295 bytes"),
        "one byte too long": (frame(b"", MAX_DICTIONARY + 1), "and at most 16,777,216 are read"),
        "too long when decompressed": (
            frame(zstandard.compress(bytes(MAX_DICTIONARY + 1))),
            "decompresses to more than",
        ),
        "broken tables": (frame(dictionary().as_bytes()[:8] + bytes(2000)), "dictionary cannot be read"),
        "damaged compression": (frame(zstandard.compress(dictionary().as_bytes())[:-20]), "dictionary cannot be read"),
    },
)
def test_a_dictionary_that_cannot_be_used_is_one_fault(tmp_path: Path, head: bytes, error: str) -> None:
    rows, tally = read(tmp_path / "x.warc.zst", head + packed(dictionary(), RECORDS) + PLAIN)
    assert names(rows) == ["z0"]
    assert [error in str(fault["error"]) for fault in tally.faults] == [True]


def test_a_file_that_ends_inside_its_dictionary(tmp_path: Path) -> None:
    rows, tally = read(tmp_path / "x.warc.zst", frame(dictionary().as_bytes())[:-1])
    assert (rows, len(tally.faults)) == ([], 1)
    assert "cut short by the end of the file" in str(tally.faults[0]["error"])


@needs_shared_data
@pytest.mark.parametrize("name", ["dict", "dict-compressed"])
def test_the_form_of_the_archive_team(name: str) -> None:
    folder = SHARED / "cases" / "records" / "zstdict"
    rows, tally = read(folder / f"{name}.warc.zst")
    plain, _ = read(folder / "plain.warc.zst")
    assert [row["content"] for row in rows] == [row["content"] for row in plain]
    assert tally.faults == []
