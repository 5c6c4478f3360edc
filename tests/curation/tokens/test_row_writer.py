"""Cutting pieces into rows, by hand."""

import numpy as np
import pyarrow as pa

from curation.tokens.row_writer import Pieces, cut_rows


def test_rows_share_the_token_that_they_meet_at() -> None:
    # aaa b ccccccc at T = 4: rows aaabc, ccccc, ccc
    cut = cut_rows(np.array([3, 1, 7]), 3, 4)
    assert cut.counts.tolist() == [3, 1, 1]
    assert cut.rows.tolist() == [0, 0, 0, 1, 2]
    assert cut.positions.tolist() == [0, 3, 4, 0, 0]
    assert cut.pieces.tolist() == [0, 1, 2, 2, 2]
    assert cut.offsets.tolist() == [0, 0, 0, 0, 4]
    assert cut.lengths.tolist() == [3, 1, 1, 5, 3]


def test_a_piece_that_ends_where_rows_meet_is_in_both() -> None:
    # aaaaa bbbb at T = 4: rows aaaaa, abbbb
    cut = cut_rows(np.array([5, 4]), 2, 4)
    assert cut.counts.tolist() == [1, 2]
    assert list(zip(cut.pieces.tolist(), cut.offsets.tolist(), cut.lengths.tolist(), strict=True)) == [
        (0, 0, 5),
        (0, 4, 1),
        (1, 0, 4),
    ]


def test_rest_of_the_pieces() -> None:
    documents = pa.table({"doc_id": ["a", "b", "c"]})
    rest = Pieces(documents, np.array([2, 0, 0]), np.array([3, 4, 1])).after(5)
    assert rest.documents["doc_id"].to_pylist() == ["b", "c"]
    assert (rest.offsets.tolist(), rest.lengths.tolist()) == ([2, 0], [2, 1])
