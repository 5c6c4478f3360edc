"""Counts and files of a part, and lineage in row groups that do not depend on how rows came."""

import itertools
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.tokens.packing import row_writer
from curation.tokens.packing.documents import NAMES
from curation.tokens.packing.row_writer import PlacedSegments, RowWriter
from curation.tokens.token_files import PADDING_BIT, open_segments
from tests.curation.tokens.support import PAD, VOCABULARY


def written(folder: Path, cuts: list[int]) -> RowWriter:
    """Ten rows of 3 tokens, document i in row i with 1 + i % 3 tokens, written in pieces."""
    writer = RowWriter(str(folder / "tokens-00000"), source="web", row_tokens=3, vocabulary=VOCABULARY)
    ids = [str(i) for i in range(10)]
    names = pa.table({"doc_id": ids, "url": [None, *ids[1:]], "document": list(range(10))}, schema=NAMES)
    for start, stop in itertools.pairwise(cuts):
        number = np.arange(start, stop)
        rows = np.where(np.arange(3) <= (number % 3)[:, None], number[:, None] + 2, PAD).astype(np.uint16)
        writer.write(rows, PlacedSegments(np.ones(len(number), np.int64), number, number * 0, 1 + number % 3), names)
    return writer


def test_padding_fills_each_row(tmp_path: Path) -> None:
    counts, files = written(tmp_path, [0, 10]).close()
    assert (counts["rows"], counts["padding"]) == (10, 11)
    assert {suffix: facts["bytes"] for suffix, facts in files.items()} == {
        path.suffix: path.stat().st_size for path in tmp_path.iterdir()
    }
    index = open_segments(str(tmp_path / "tokens-00000.idx"), rows=10, row_tokens=3, item_bytes=2)
    assert index.offsets.tolist()[:5] == [0, 2, 4, 5, 7]
    assert index.lengths.tolist()[:5] == [1, 2 | PADDING_BIT, 2, 1 | PADDING_BIT, 3]
    lineage = pq.read_table(tmp_path / "tokens-00000.parquet").to_pylist()
    keys = ("row", "position", "doc_id", "source", "doc_offset", "length", "padding", "url", "document")
    assert [tuple(one[key] for key in keys) for one in lineage[:3]] == [
        (0, 0, "0", "web", 0, 1, False, None, 0),
        (0, 1, None, "web", None, 2, True, None, None),
        (1, 0, "1", "web", 0, 2, False, "1", 1),
    ]


@pytest.mark.parametrize("cuts", [[0, 10], [0, 1, 2, 9, 10], [*range(11)]])
def test_row_groups_are_cut_by_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cuts: list[int]) -> None:
    monkeypatch.setattr(row_writer, "LINEAGE_GROUP", 4)
    written(tmp_path, cuts).close()
    metadata = pq.read_metadata(tmp_path / "tokens-00000.parquet")
    assert [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)] == [4, 4, 4, 4, 1]


def test_an_index_that_is_spilled_to_disk_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    contents = []
    for limit in (1 << 20, 16):
        monkeypatch.setattr(row_writer, "INDEX_IN_MEMORY", limit)
        (folder := tmp_path / str(limit)).mkdir()
        written(folder, [0, 3, 10]).close()
        contents.append((folder / "tokens-00000.idx").read_bytes())
    assert contents[0] == contents[1]
    assert len(contents[0]) == 64 + 8 * 11 + 4 * 17
