"""The directory of a zip: names and places as `zipfile` gives them, and what it refuses or cannot hold."""

import io
import struct
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest

from curation.core.names import MAX_NAME
from curation.core.protocols import ReadTally
from curation.sources import zip_directory
from curation.sources.zip_directory import ZipEntry, zip_entries
from curation.sources.zips import zip_files


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def entries(content: bytes) -> list[ZipEntry]:
    return list(zip_entries(pa.BufferReader(content)))


FILES = {"a.pdf": b"a" * 100, "d/é.pdf": b"b", "d/": b"", **{f"{number}.pdf": b"c" for number in range(300)}}


@pytest.mark.parametrize("before", [b"", b"data before the zip"], ids=["alone", "behind other data"])
@pytest.mark.parametrize("block", [1 << 10, 1 << 20], ids=["small blocks", "one block"])
def test_a_directory(before: bytes, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zip_directory, "_BLOCK", block)
    content = before + zipped(FILES)
    found = entries(content)
    expected = zipfile.ZipFile(io.BytesIO(content)).infolist()
    assert [(one.name, one.offset, one.compressed_size, one.size, one.is_folder) for one in found] == [
        (one.filename, one.header_offset, one.compress_size, one.file_size, one.is_dir()) for one in expected
    ]


def test_sizes_of_large_files_stand_in_the_extra_field() -> None:
    content = bytearray(zipped({"a": b"x"}))
    entry = content.index(b"PK\x01\x02")
    large = struct.pack("<HHQQQ", 1, 24, 5 << 32, 6 << 32, 7 << 32)
    content[entry + 20 : entry + 28] = b"\xff" * 8
    content[entry + 30 : entry + 32] = struct.pack("<H", len(large))
    content[entry + 42 : entry + 46] = b"\xff" * 4
    content[entry + 47 : entry + 47] = large
    end = content.index(b"PK\x05\x06")
    content[end + 12 : end + 16] = struct.pack("<I", end - entry)
    (found,) = entries(bytes(content))
    assert (found.size, found.compressed_size, found.offset) == (5 << 32, 6 << 32, 7 << 32)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param(b"caf\xc3\xa9.pdf", "café.pdf", id="UTF-8"),
        pytest.param(b"caff\xe9.pdf", r"caff\xe9.pdf", id="said to be UTF-8, and is not"),
    ],
)
def test_names_said_to_be_utf8(name: bytes, text: str) -> None:
    content = zipped({"é" * 4 + "x": b""} if len(name) == 9 else {"éééx.pdf"[: len(name)]: b""})
    used = zipfile.ZipFile(io.BytesIO(content)).infolist()[0].filename.encode()
    content = content.replace(used, name.ljust(len(used), b"\0"))
    assert [one.name for one in entries(content)] == [text]


def test_a_name_that_is_too_long_is_passed_over_and_counted(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(zipped({"n" * (MAX_NAME + 1): b"x", "n" * MAX_NAME: b"y"}))
    tally = ReadTally()
    assert list(zip_files(str(tmp_path / "x.zip"), tally, 10)) == [("n" * MAX_NAME, b"y")]
    assert (dict(tally.records), tally.faults) == ({"skipped.long_name": 1}, [])


@pytest.mark.parametrize(
    ("content", "error"),
    [
        pytest.param(b"PK\x03\x04", "its end is missing", id="no end"),
        pytest.param(
            zipped({"a": b"x"}).replace(b"PK\x01\x02", b"PK\x01\x03"), "its directory is damaged", id="damaged"
        ),
        pytest.param(
            zipped({"a": b"x"})[:-10] + b"\xff\xff\xff\x7f" + zipped({"a": b"x"})[-6:],
            "not where it should be",
            id="size",
        ),
    ],
)
def test_a_directory_that_cannot_be_read(content: bytes, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        entries(content)
