"""The footer: the same figures as pyarrow's of a sound file, one line with the file's name for a damaged one."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core.errors import InputError
from curation.sources.parquet_footer import Footer, read_footer


def file(groups: int = 3) -> bytes:
    inner = pa.struct([("u", pa.string()), ("l", pa.list_(pa.int64()))])
    nested = pa.array([{"u": "x", "l": [1, 2]}] * (3 * groups), inner)
    table = pa.table({"text": pa.array(["ab", None, "c"] * groups, pa.string()), "m": nested})
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=3)
    return sink.getvalue()


def footer(data: bytes) -> Footer:
    return read_footer(pa.BufferReader(data), "x.parquet")


@pytest.mark.parametrize("groups", [3, 1500], ids=["short", "longer than what is read at once"])
def test_the_figures_are_those_of_pyarrow(groups: int) -> None:
    data = file(groups)
    ours = footer(data)
    theirs = pq.read_metadata(io.BytesIO(data))
    sizes = [
        sum(theirs.row_group(group).column(leaf).total_uncompressed_size for leaf in range(3))
        for group in range(theirs.num_row_groups)
    ]
    assert ours.leaves == ("text", "m.u", "m.l.list.element")
    assert ours.schema.names == ["text", "m"]
    assert (ours.rows, ours.sizes, ours.file_size) == ((3,) * groups, tuple(sizes), len(data))


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
    """Some of them make pyarrow end the process where it is asked for a column; here each is read or refused."""
    data = file(groups=1)
    begin = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    refused = 0
    for at in range(begin, len(data) - 8):
        for byte in (0, data[at] ^ 1, data[at] ^ 64, 255):
            try:
                footer(data[:at] + bytes([byte]) + data[at + 1 :])
            except InputError:
                refused += 1
    assert refused > 100
