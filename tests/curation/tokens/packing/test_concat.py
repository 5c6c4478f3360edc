"""Cutting pieces into rows, by hand."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from curation.tokens.pack import Pack
from curation.tokens.packing import concat
from curation.tokens.packing.concat import TokenRuns, cut_rows, stretches
from curation.tokens.packing.documents import NAMES, Documents
from curation.tokens.packing.row_writer import PlacedSegments
from tests.curation.tokens.support import END, VOCABULARY, token_batch


def pieces(*lengths: int) -> TokenRuns:
    names = pa.table({"doc_id": [str(i) for i in range(len(lengths))]})
    return TokenRuns(names, np.zeros(len(lengths), np.int64), np.array(lengths))


def segments(placed: PlacedSegments) -> list[tuple[int, int, int]]:
    return list(zip(placed.documents.tolist(), placed.offsets.tolist(), placed.lengths.tolist(), strict=True))


def test_rows_share_the_token_that_they_meet_at() -> None:
    # aaa b ccccccc at T = 4: rows aaabc, ccccc, ccc
    cut = cut_rows(pieces(3, 1, 7), 3, 4)
    assert cut.counts.tolist() == [3, 1, 1]
    assert segments(cut) == [(0, 0, 3), (1, 0, 1), (2, 0, 1), (2, 0, 5), (2, 4, 3)]


def test_a_piece_that_ends_where_rows_meet_is_in_both() -> None:
    # aaaaa bbbb at T = 4: rows aaaaa, abbbb
    cut = cut_rows(pieces(5, 4), 2, 4)
    assert cut.counts.tolist() == [1, 2]
    assert segments(cut) == [(0, 0, 5), (0, 4, 1), (1, 0, 4)]


def test_the_rest_of_a_document_goes_on_where_it_stopped() -> None:
    rest = TokenRuns(pa.table({"doc_id": ["a", "b"]}), np.array([7, 0]), np.array([3, 4]))
    assert segments(cut_rows(rest, 1, 4)) == [(0, 7, 3), (1, 0, 2)]


def test_rest_of_the_pieces() -> None:
    documents = pa.table({"doc_id": ["a", "b", "c"]})
    rest = TokenRuns(documents, np.array([2, 0, 0]), np.array([3, 4, 1])).after(5)
    assert rest.names["doc_id"].to_pylist() == ["b", "c"]
    assert (rest.offsets.tolist(), rest.lengths.tolist()) == ([2, 0], [2, 1])


def test_stretches_begin_and_end_inside_documents() -> None:
    names = pa.table({"doc_id": ["a", "b", "c"], "url": ["", "", ""], "document": [0, 1, 2]}, schema=NAMES)
    documents = Documents(names, np.arange(100, dtype=np.uint16), np.array([50, 10, 30]), np.array([2, 7, 1]))
    found = [
        (some.names["doc_id"].to_pylist(), some.starts.tolist(), some.lengths.tolist(), offsets.tolist())
        for some, offsets in stretches(documents, 4)
    ]
    assert found == [
        (["a", "b"], [50, 10], [2, 2], [0, 0]),
        (["b"], [12], [4], [2]),
        (["b", "c"], [16, 30], [1, 1], [6, 0]),
    ]


@pytest.mark.parametrize("chunk", [1, 7])
def test_how_much_is_laid_at_a_time_changes_no_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    batch = token_batch({f"d{size}": [*range(2, size + 2), END] for size in (0, 1, 30, 2, 7, 8, 0, 9)})
    made = []
    for name in ("whole", "cut"):
        (tmp_path / name).mkdir()
        made.append(Pack(sequence_length=4).pack(0, [batch], str(tmp_path / name), source="web", vocabulary=VOCABULARY))
        monkeypatch.setattr(concat, "CHUNK_TOKENS", chunk)
    assert made[0] == made[1]
