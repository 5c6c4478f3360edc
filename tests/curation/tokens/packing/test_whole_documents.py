"""Documents come back whole from rows, whatever packed them."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core.errors import InputError
from curation.tokens.pack import Method, Pack
from curation.tokens.packing import whole_documents
from curation.tokens.row_files import RowFile
from tests.curation.tokens.run_by_hand import DOCUMENTS, write_run_by_hand
from tests.curation.tokens.support import END, VOCABULARY, token_batch


def read(folder: Path, file: RowFile, row_tokens: int) -> list[list[int]]:
    """The documents, split by their lengths."""
    tokens: list[int] = []
    sizes: list[int] = []
    for piece, lengths in whole_documents.whole_documents(str(folder), file, row_tokens=row_tokens, dtype="<u2"):
        tokens += piece.tolist()
        sizes += lengths.tolist()
    assert sum(sizes) == len(tokens)
    return [tokens[stop - size : stop] for size, stop in zip(sizes, np.cumsum(sizes).tolist(), strict=True)]


def packed(folder: Path, documents: list[list[int]], method: Method, length: int = 4) -> RowFile:
    """One file of the documents, several of the same name among them."""
    batch = token_batch({str(i): tokens for i, tokens in enumerate(documents)})
    same = batch.set_column(0, "doc_id", pa.array([str(i % 3) for i in range(len(documents))]))
    packer = Pack(sequence_length=length, method=method)
    part, _ = packer.pack(0, [same], str(folder), source="web", vocabulary=VOCABULARY)
    return RowFile("tokens-00000", "web", part["rows"])


@pytest.mark.parametrize("method", ["concat", "best_fit", "one_per_row"])
@pytest.mark.parametrize("length", [1, 2, 4, 30])
@pytest.mark.parametrize("chunk", [1, 7, 1 << 20])
def test_documents_come_back_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: Method, length: int, chunk: int
) -> None:
    monkeypatch.setattr(whole_documents, "CHUNK_TOKENS", chunk)
    rng = np.random.default_rng(length)
    documents = [[*rng.integers(2, 999, size).tolist(), END] for size in [0, 0, 0, *rng.integers(0, 40, 60), 0, 300]]
    assert read(tmp_path, packed(tmp_path, documents, method, length), length + 1) == documents


def test_documents_by_hand(tmp_path: Path) -> None:
    run = write_run_by_hand(tmp_path / "run")
    assert read(run / "01-pack-00000000", RowFile("tokens-00000", "web", 3), 5) == DOCUMENTS


def test_a_document_that_was_taken_down_is_left_out(tmp_path: Path) -> None:
    documents = [[5, END], [6, 6, 6, 6, 6, 6, END], [7, END]]
    file = packed(tmp_path, documents, "best_fit")
    lineage = pq.read_table(tmp_path / "tokens-00000.parquet")
    gone = np.array([one == 1 for one in lineage["document"].to_pylist()])
    padding = pa.array(gone | lineage["padding"].to_numpy())
    pq.write_table(lineage.set_column(6, "padding", padding), tmp_path / "tokens-00000.parquet")
    assert read(tmp_path, file, 5) == [documents[0], documents[2]]


def test_a_file_without_rows(tmp_path: Path) -> None:
    assert read(tmp_path, packed(tmp_path, [], "concat"), 5) == []


def test_lineage_that_is_missing_or_has_gaps(tmp_path: Path) -> None:
    file = packed(tmp_path, [[5, 6, 7, 8, 9, END]], "best_fit")
    path = tmp_path / "tokens-00000.parquet"
    lineage = pq.read_table(path)
    pq.write_table(lineage.slice(1), path)
    with pytest.raises(InputError, match="does not hold whole documents"):
        read(tmp_path, file, 5)
    path.unlink()
    with pytest.raises(InputError, match=r"no file at .*copy the whole pack folder"):
        read(tmp_path, file, 5)
