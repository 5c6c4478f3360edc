"""The list of files of a 7-Zip archive, which is not read where it is as large as no real one."""

import struct
import zlib
from pathlib import Path

import pyarrow.fs as pafs
import pytest

from curation.sources.documents.posts.seven_zip_header import MAX_HEADER, check_header


def archive(header: bytes, size: int | None = None) -> bytes:
    """An archive of nothing but its header; `size` is stated in its place."""
    start = struct.pack("<QQI", 0, len(header) if size is None else size, zlib.crc32(header))
    return b"7z\xbc\xaf\x27\x1c\0\4" + struct.pack("<I", zlib.crc32(start)) + start + header


def packed(unpacked_size: bytes, coders: bytes = b"\x01\x23\x03\x01\x01\x05\x5d\0\0\1\0") -> bytes:
    """A header that is packed by LZMA, with 16 bytes of it at 0."""
    return b"\x17\x06\x00\x01\x09\x10\x00\x07\x0b\x01\x00" + coders + b"\x0c" + unpacked_size + b"\0\0"


def check(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pafs.LocalFileSystem().open_input_file(str(path)) as file:
        check_header(file)


@pytest.mark.parametrize(
    "header",
    [
        pytest.param(b"\x01\0", id="plain"),
        pytest.param(bytes(MAX_HEADER), id="the longest"),
        pytest.param(packed(b"\x7f"), id="packed"),
        pytest.param(packed(b"\xd0\0\0"), id="packed, of a megabyte"),
        pytest.param(packed(b"\x10\x11", b"\x02\x00\x00\x00\x00"), id="two coders"),
    ],
)
def test_headers_of_real_sizes(header: bytes, tmp_path: Path) -> None:
    check(tmp_path / "x.7z", archive(header))


@pytest.mark.parametrize(
    ("content", "error"),
    [
        pytest.param(b"7z\xbc\xaf\x27\x1c", "it is cut short", id="cut"),
        pytest.param(archive(b"\x01\0", 1 << 62), "its end is missing", id="a size that is not there"),
        pytest.param(archive(bytes(MAX_HEADER + 1)), "has 1,048,577 bytes, and at most", id="long"),
        pytest.param(archive(packed(b"\xd0\1\0")), "has 1,048,577 bytes, and at most", id="long once it is unpacked"),
        pytest.param(archive(packed(b"\xff" + b"\xff" * 8)), "has 18,446,744,073,709,551,615 bytes", id="endless"),
        pytest.param(archive(b"\x17\x06"), "its header is damaged", id="damaged"),
        pytest.param(archive(b"\x17\x07\x0b\x01\0\xff\xff"), "its header is damaged", id="endless coders"),
        pytest.param(archive(b"\x17\x06\0\xff" + b"\xff" * 8 + b"\x09"), "its header is damaged", id="endless streams"),
    ],
)
def test_others_are_refused(content: bytes, error: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=error):
        check(tmp_path / "x.7z", content)
