"""Sizes of Parquet pages, read from their headers."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core.protocols import Piece, ReadTally
from curation.sources import parquet_pages
from curation.sources.parquet import Parquet
from curation.sources.parquet_footer import read_footer
from curation.sources.parquet_pages import rows_at_once


def write(path: Path, sizes: list[int], **options: object) -> Path:
    """A file with a page for each text, of the size given."""
    table = pa.table({"text": ["a" * size for size in sizes]})
    settings = {"use_dictionary": False, "compression": "zstd", "data_page_size": 1, "write_batch_size": 1}
    pq.write_table(table, path, **{**settings, **options})
    return path


def at_once(path: Path) -> int:
    with pa.OSFile(str(path)) as stream:
        return rows_at_once(stream, read_footer(stream, "x"), 0, ["text"])


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize(
    ("sizes", "rows"),
    [
        pytest.param([500] * 2, 1000, id="small in all"),
        pytest.param([500] * 20, 2, id="two pages fit"),
        pytest.param([900] * 3, 1, id="one page fits"),
        pytest.param([10] * 50 + [900, 10, 900], 2, id="two large ones"),
        pytest.param([2000, 1], 0, id="a page above the limit"),
    ],
)
def test_rows_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sizes: list[int], rows: int, version: str
) -> None:
    monkeypatch.setattr(parquet_pages, "MAX_READ_BYTES", 1100)
    assert at_once(write(tmp_path / "x.parquet", sizes, data_page_version=version)) == rows


def test_long_statistics_are_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_pages, "MAX_READ_BYTES", 4000)
    assert at_once(write(tmp_path / "x.parquet", [3000, 3000], write_statistics=True)) == 1


def test_a_group_that_is_not_read_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(write(tmp_path / "x.parquet", [10, 2000, 10, 10], row_group_size=2))
    monkeypatch.setattr(parquet_pages, "MAX_READ_BYTES", 1000)
    tally = ReadTally()
    rows = [row for batch in Parquet(paths=()).read((Piece(path),), "s", tally) for row in batch.to_pylist()]
    assert [row["origin_offset"] for row in rows] == [2, 3]
    assert tally.records == {"skipped.large_page": 2}
    assert len(tally.faults) == 1
