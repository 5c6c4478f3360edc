"""Look-ups in lineage files of several row groups: by document and by row."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core.errors import InputError
from curation.tokens.lineage import segments_in, segments_of
from curation.tokens.token_files import LINEAGE


@pytest.fixture
def path(tmp_path: Path) -> str:
    """Rows 0 to 3; a in rows 0 and 1, padding at the end of row 1, b in rows 2 and 3; three segments a row group."""
    rows = [("a", 0, 0, 0, 5), ("a", 1, 0, 4, 3), (None, 1, 3, None, 2), ("b", 2, 0, 0, 5), ("b", 3, 0, 4, 5)]
    values = [
        {
            "doc_id": doc,
            "row": row,
            "position": at,
            "doc_offset": offset,
            "length": length,
            "padding": doc is None,
            "source": "web",
        }
        for doc, row, at, offset, length in rows
    ]
    pq.write_table(pa.Table.from_pylist(values, LINEAGE), tmp_path / "t.parquet", row_group_size=3)
    return str(tmp_path / "t.parquet")


def test_segments_of_documents(path: str) -> None:
    found = segments_of(path, pa.array(["b", "nobody", None]))
    assert found.select(["segment", "row", "doc_offset", "length"]).to_pylist() == [
        {"segment": 3, "row": 2, "doc_offset": 0, "length": 5},
        {"segment": 4, "row": 3, "doc_offset": 4, "length": 5},
    ]
    assert segments_of(path, pa.array(["a"]))["segment"].to_pylist() == [0, 1]
    assert segments_of(path, pa.array(["nobody"])).num_rows == 0


@pytest.mark.parametrize(
    ("rows", "segments"), [([0], [0]), ([1], [1, 2]), ([3, 1, 1], [1, 2, 4]), ([4], []), ([], []), ([2], [3])]
)
def test_segments_in_rows(path: str, rows: list[int], segments: list[int]) -> None:
    assert segments_in(path, rows)["segment"].to_pylist() == segments


def test_a_lineage_that_was_not_copied(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no lineage at .*t\.parquet; copy"):
        segments_in(str(tmp_path / "t.parquet"), [0])


def test_a_lineage_without_rows(tmp_path: Path) -> None:
    pq.write_table(LINEAGE.empty_table(), tmp_path / "t.parquet")
    assert segments_in(str(tmp_path / "t.parquet"), [0]).num_rows == 0
    assert segments_of(str(tmp_path / "t.parquet"), pa.array(["a"])).num_rows == 0
