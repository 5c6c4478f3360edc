"""The footer: the same figures as pyarrow's of a sound file, one line with the file's name for a damaged one."""

import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core.errors import InputError
from curation.sources.parquet_footer import Footer, read_footer


def file(groups: int = 3, **options: Any) -> bytes:
    inner = pa.struct([("u", pa.string()), ("l", pa.list_(pa.int64()))])
    nested = pa.array([{"u": "x", "l": [1, 2]}] * (3 * groups), inner)
    table = pa.table({"text": pa.array(["ab", None, "c"] * groups, pa.string()), "m": nested})
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=3, **options)
    return sink.getvalue()


def footer(data: bytes) -> Footer:
    return read_footer(pa.BufferReader(data), "x.parquet")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"groups": 1500},
        {"use_dictionary": False},
        {"write_page_index": True, "write_statistics": True},
    ],
    ids=["plain", "a long footer", "no dictionaries", "indexed"],
)
def test_the_figures_are_those_of_pyarrow(options: Any) -> None:
    data = file(**options)
    ours = footer(data)
    theirs = pq.read_metadata(io.BytesIO(data))
    groups = [theirs.row_group(number) for number in range(theirs.num_row_groups)]
    chunks = [[group.column(number) for number in range(3)] for group in groups]
    assert ours.leaves == ("text", "m.u", "m.l.list.element")
    assert ours.schema.names == ["text", "m"]
    assert ours.rows.tolist() == [group.num_rows for group in groups]
    assert ours.stored.tolist() == [[chunk.total_compressed_size for chunk in own] for own in chunks]
    assert ours.size.tolist() == [[chunk.total_uncompressed_size for chunk in own] for own in chunks]
    starts = [[chunk.dictionary_page_offset or chunk.data_page_offset for chunk in own] for own in chunks]
    assert ours.start.tolist() == starts


def changed(data: bytes, at: int, byte: int) -> bytes:
    return data[:at] + bytes([byte]) + data[at + 1 :]


@pytest.mark.parametrize(
    ("data", "error"),
    [
        pytest.param(b"", "it does not end as Parquet does", id="empty"),
        pytest.param(b"PAR1", "its end is damaged", id="only the magic"),
        pytest.param(file()[:-1], "something else, or its end is missing", id="cut short"),
        pytest.param(file()[-200:], "its beginning is missing", id="cut at the front"),
        pytest.param(file()[:-4] + b"PARE", "its footer is encrypted", id="encrypted"),
        pytest.param(file()[:-8] + b"\xff\xff\xff\x7fPAR1", "its end is damaged", id="a length beyond the file"),
        pytest.param(file()[:-8] + b"\x10\0\0\0PAR1", "its footer is damaged", id="a length too short"),
        pytest.param(file().replace(b"text", b"te\xfft"), "its footer is damaged", id="a name that is no text"),
    ],
)
def test_no_footer(data: bytes, error: str) -> None:
    with pytest.raises(InputError, match=rf"^x.parquet cannot be read as Parquet: .*{error}") as raised:
        footer(data)
    assert raised.value.__cause__ is None, "no fault of the disk, which would be tried again"


def test_every_byte_of_a_footer_may_be_wrong() -> None:
    """One of them makes pyarrow end the process where it is asked for a column; here it is read or refused."""
    data = file(groups=1)
    begin = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    refused = 0
    for at in range(begin, len(data) - 8):
        for byte in (0, data[at] ^ 1, data[at] ^ 64, 255):
            try:
                footer(changed(data, at, byte))
            except InputError:
                refused += 1
    assert refused > 100
