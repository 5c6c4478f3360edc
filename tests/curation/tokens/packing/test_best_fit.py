"""The order of best-fit-decreasing by hand, windows at their limits, and documents that are whole wherever they fit."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from curation.tokens.pack import Pack
from curation.tokens.packing.best_fit import BestFit, best_fit
from curation.tokens.packing.documents import NAMES, Documents
from curation.tokens.packing.row_writer import RowWriter
from tests.curation.tokens.support import END, PAD, VOCABULARY, token_batch


def rows_of(lengths: list[int], capacity: int) -> list[list[int]]:
    order, counts = best_fit(np.array(lengths, np.int64), capacity)
    return [one.tolist() for one in np.split(order, np.cumsum(counts)[:-1])]


@pytest.mark.parametrize(
    ("lengths", "rows"),
    [
        pytest.param([3, 7, 4, 6], [[1, 0], [3, 2]], id="longest first, each into the row it fits best"),
        pytest.param([6, 8, 2, 4], [[1, 2], [0, 3]], id="the least space that is enough"),
        pytest.param(
            [6, 7, 5, 3], [[1, 3], [0], [2]], id="a row of less space is taken though another was opened first"
        ),
        pytest.param([6, 6, 4], [[0], [1, 2]], id="of equal space the row that came to it last"),
        pytest.param([4, 4, 4, 4, 4], [[0, 1], [2, 3], [4]], id="equal pieces in their order"),
        pytest.param([10, 10], [[0], [1]], id="whole rows"),
        pytest.param([1], [[0]], id="one"),
        pytest.param([1] * 11, [[*range(10)], [10]], id="one more than fits"),
    ],
)
def test_rows_of_ten(lengths: list[int], rows: list[list[int]]) -> None:
    assert rows_of(lengths, 10) == rows


@pytest.mark.parametrize("capacity", [1, 2, 3, 4, 7, 8, 9, 100])
def test_same_as_trying_every_row(capacity: int) -> None:
    lengths = np.random.default_rng(capacity).integers(1, capacity + 1, 300).tolist()
    space: list[int] = []
    rows: list[list[int]] = []
    opened: list[int] = []  # when a row last got its space
    for time, piece in enumerate(sorted(range(300), key=lambda i: -lengths[i])):
        fitting = [row for row in range(len(rows)) if space[row] >= lengths[piece]]
        row = min(fitting, key=lambda row: (space[row], -opened[row]), default=len(rows))
        if row == len(rows):
            rows.append([])
            space.append(capacity)
            opened.append(0)
        rows[row].append(piece)
        space[row] -= lengths[piece]
        opened[row] = time
    assert rows_of(lengths, capacity) == rows


def test_rows_and_lineage(tmp_path: Path) -> None:
    documents = {
        "a": [10, 11, END],
        "long": [20, 21, 22, 23, 24, 25, END],
        "b": [30, END],
        "exact": [40, 41, 42, 43, END],
        "c": [END],
    }
    packer = Pack(sequence_length=4, method="best_fit")
    part, _ = packer.pack(0, [token_batch(documents)], str(tmp_path), source="web", vocabulary=VOCABULARY)
    assert np.fromfile(tmp_path / "tokens-00000.bin", "<u2").reshape(-1, 5).tolist() == [
        [20, 21, 22, 23, 24],
        [40, 41, 42, 43, END],
        [10, 11, END, END, PAD],
        [24, 25, END, 30, END],
    ]
    lineage = pq.read_table(tmp_path / "tokens-00000.parquet").to_pylist()
    keys = ("row", "position", "doc_id", "doc_offset", "length", "document")
    assert [tuple(one[key] for key in keys) for one in lineage] == [
        (0, 0, "long", 0, 5, 1),
        (1, 0, "exact", 0, 5, 3),
        (2, 0, "a", 0, 3, 0),
        (2, 3, "c", 0, 1, 4),
        (2, 4, None, None, 1, None),
        (3, 0, "long", 4, 3, 1),
        (3, 3, "b", 0, 2, 2),
    ]
    assert (part["rows"], part["tokens"], part["padding"], part["cut"]) == (4, 18, 1, 1)


def windows(folder: Path, lengths: list[int], cuts: list[int], **limits: int) -> tuple[list[list[int]], Any]:
    """Documents of those lengths, the i-th of tokens i + 2 only, added in batches: their rows of 10, and what the
    writer says of its files."""
    writer = RowWriter(str(folder / "tokens-00000"), source="web", row_tokens=10, vocabulary=VOCABULARY)
    packer = BestFit(writer, **limits)
    for start, stop in itertools.pairwise(cuts):
        sizes = np.array(lengths[start:stop])
        tokens = np.repeat(np.arange(start + 2, stop + 2), sizes).astype(np.uint16)
        ids = [str(i) for i in range(start, stop)]
        names = NAMES.empty_table().from_pydict(
            {"doc_id": ids, "url": ids, "document": list(range(start, stop))}, schema=NAMES
        )
        packer.add(Documents(names, tokens, np.cumsum(sizes) - sizes, sizes), 0)
    packer.close()
    closed = writer.close()
    return np.fromfile(folder / "tokens-00000.bin", "<u2").reshape(-1, 10).tolist(), closed


SEPARATE = [[2] * 6 + [PAD] * 4, [3] * 6 + [PAD] * 4, [4] * 4 + [PAD] * 6]
TOGETHER = [[2] * 6 + [PAD] * 4, [3] * 6 + [4] * 4]


@pytest.mark.parametrize(
    ("limits", "rows"),
    [
        pytest.param({"window_tokens": 12}, SEPARATE, id="12 tokens are there with the second"),
        pytest.param({"window_tokens": 13}, TOGETHER, id="13 are not"),
        pytest.param({"window_pieces": 2}, SEPARATE, id="two pieces"),
        pytest.param({"window_pieces": 3}, TOGETHER, id="three pieces"),
    ],
)
def test_a_window_ends_with_the_piece_that_fills_it(
    tmp_path: Path, limits: dict[str, int], rows: list[list[int]]
) -> None:
    assert windows(tmp_path, [6, 6, 4], [0, 3], **limits)[0] == rows


@pytest.mark.parametrize("limits", [{"window_tokens": 40}, {"window_pieces": 7}])
def test_windows_end_at_the_same_document_however_batches_are_cut(tmp_path: Path, limits: dict[str, int]) -> None:
    lengths = np.random.default_rng(3).integers(1, 35, 100).tolist()
    found = [windows(tmp_path, lengths, cuts, **limits) for cuts in ([0, 100], [*range(101)], [0, 3, 50, 51, 100])]
    assert found[0] == found[1] == found[2]
    counts, _ = found[0][1]
    assert counts["cut"] == sum(length > 10 for length in lengths)
