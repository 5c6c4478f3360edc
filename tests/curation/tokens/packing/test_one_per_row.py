"""A row begins with each document; what is longer goes on in the next."""

from pathlib import Path

import numpy as np
import pytest

from curation.tokens.pack import Pack
from curation.tokens.packing.one_per_row import cut_documents
from tests.curation.tokens.support import END, PAD, VOCABULARY, token_batch


@pytest.mark.parametrize(
    ("length", "cut"),
    [
        pytest.param(1, [(0, 1)], id="one token"),
        pytest.param(5, [(0, 5)], id="a row"),
        pytest.param(6, [(0, 5), (4, 2)], id="one more than a row"),
        pytest.param(9, [(0, 5), (4, 5)], id="two rows that share a token"),
        pytest.param(10, [(0, 5), (4, 5), (8, 2)], id="one more than two rows"),
    ],
)
def test_where_a_document_is_cut(length: int, cut: list[tuple[int, int]]) -> None:
    pieces = cut_documents(np.array([3, length]), 5)
    assert pieces.documents.tolist() == [0] + [1] * len(cut)
    assert list(zip(pieces.offsets.tolist(), pieces.lengths.tolist(), strict=True)) == [(0, 3), *cut]


def test_rows_of_two_tokens() -> None:
    pieces = cut_documents(np.array([1, 2, 3]), 2)
    assert pieces.documents.tolist() == [0, 1, 2, 2]
    assert pieces.offsets.tolist() == [0, 0, 0, 1]
    assert pieces.lengths.tolist() == [1, 2, 2, 2]


def test_rows(tmp_path: Path) -> None:
    documents = {"a": [10, 11, END], "b": [END], "c": [20, 21, 22, 23, 24, 25, END]}
    packer = Pack(sequence_length=4, method="one_per_row")
    part, _ = packer.pack(0, [token_batch(documents)], str(tmp_path), source="web", vocabulary=VOCABULARY)
    assert np.fromfile(tmp_path / "tokens-00000.bin", "<u2").reshape(-1, 5).tolist() == [
        [10, 11, END, PAD, PAD],
        [END, PAD, PAD, PAD, PAD],
        [20, 21, 22, 23, 24],
        [24, 25, END, PAD, PAD],
    ]
    assert (part["rows"], part["tokens"], part["padding"], part["cut"]) == (4, 11, 8, 1)
