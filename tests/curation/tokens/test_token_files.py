"""The bytes of an index, and refusal of everything that is not one."""

import struct
from pathlib import Path

import pytest

from curation.core.errors import InputError
from curation.tokens.token_files import (
    PADDING_BIT,
    Segments,
    Vocabulary,
    map_file,
    open_rows,
    open_segments,
)
from tests.curation.tokens.support import row_index

# Row 0: documents of 3 and 2 tokens; row 1: 2 more of the second, 3 of padding.
INDEX = (
    b"WNTOKENS" + struct.pack("<IIIIQQ", 2, 2, 5, 0, 2, 4) + bytes(24)
    + struct.pack("<3Q", 0, 2, 4) + struct.pack("<4I", 3, 2, 2, 0x80000003)
)  # fmt: skip


def open_index(path: Path, content: bytes) -> Segments:
    path.write_bytes(content)
    return open_segments(str(path), rows=2, row_tokens=5, item_bytes=2)


def test_index_opens_as_written(tmp_path: Path) -> None:
    found = open_index(tmp_path / "a.idx", INDEX)
    assert found.offsets.tolist() == [0, 2, 4]
    assert found.lengths.tolist() == [3, 2, 2, 3 | PADDING_BIT]
    assert row_index(found, item_bytes=2, row_tokens=5) == INDEX


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"", "is not a token index", id="empty"),
        pytest.param(b"WNTOKENX" + INDEX[8:], "is not a token index", id="other magic"),
        pytest.param(INDEX[:8] + b"\x03" + INDEX[9:], "token format 3, this winnow reads 2; pack", id="version 3"),
        pytest.param(INDEX[:8] + b"\x01" + INDEX[9:], "token format 1, this winnow reads 2; pack", id="version 1"),
        pytest.param(INDEX[:8] + b"\x00" + INDEX[9:], "token format 0, this winnow reads 2; pack", id="version 0"),
        pytest.param(INDEX[:12] + b"\x04" + INDEX[13:], "of 4 bytes, its manifest says 2 of 5 of 2", id="uint32"),
        pytest.param(INDEX[:16] + b"\x06" + INDEX[17:], "2 rows of 6 tokens", id="6 tokens a row"),
        pytest.param(INDEX[:24] + b"\x03" + INDEX[25:], "indexes 3 rows", id="3 rows"),
        pytest.param(INDEX[:-1], "103 bytes, which its header contradicts", id="one byte short"),
        pytest.param(INDEX + b"\0", "105 bytes, which its header contradicts", id="one byte long"),
    ],
)
def test_index_refused(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        open_index(tmp_path / "a.idx", content)


def test_rows_open_as_little_endian(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(bytes([1, 0, 2, 0, 3, 1, 4, 0]))
    rows = open_rows(str(tmp_path / "a.bin"), rows=2, row_tokens=2, dtype="<u2")
    assert rows.tolist() == [[1, 2], [259, 4]]


@pytest.mark.parametrize("size", [7, 9])
def test_rows_of_another_size_refused(tmp_path: Path, size: int) -> None:
    (tmp_path / "a.bin").write_bytes(bytes(size))
    with pytest.raises(InputError, match=f"has {size} bytes, its manifest says 8"):
        open_rows(str(tmp_path / "a.bin"), rows=2, row_tokens=2, dtype="<u2")


def test_no_rows_need_no_content(tmp_path: Path) -> None:
    assert open_rows(str(tmp_path / "none.bin"), rows=0, row_tokens=2, dtype="<u2").shape == (0, 2)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no file at .*a\.bin"):
        map_file(str(tmp_path / "a.bin"))


@pytest.mark.parametrize(("size", "dtype"), [(65_536, "uint16"), (65_537, "uint32")])
def test_dtype_holds_the_vocabulary(size: int, dtype: str) -> None:
    assert Vocabulary(size=size, end_of_text=0, padding=1, tokenizer="").dtype.name == dtype
