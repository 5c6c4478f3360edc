"""Copies of documents that were taken down are recognised by the keys that are left of them."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from curation.core.dedup_methods import DedupMethod, Keys, Verifies
from curation.dedup.canonical_url import CanonicalUrl
from curation.dedup.exact import Exact
from curation.dedup.minhash import Minhash
from curation.dedup.simhash import Simhash
from curation.engine.dedup.taken import NOTHING, TakenCopies, left_of, taken_schema
from curation.engine.recipe.taken_keys import TakenKeys
from curation.engine.run.routing import write_batches
from tests.support import documents

WORDS = " ".join(f"word{number}" for number in range(200))
GONE = documents(WORDS, "of another kind altogether", "", None)
NEW = documents(f"{WORDS} end", "it is all new, and of nothing that went before", WORDS.upper(), "", None)


def made(method: DedupMethod, batch: pa.RecordBatch) -> Keys | pa.Array:
    return method.sign(batch) if isinstance(method, Verifies) else method.keys(batch)


def left(folder: Path, method: DedupMethod, batch: pa.RecordBatch) -> TakenCopies:
    table = left_of(method, batch)
    assert table.schema == taken_schema(method)
    path = str(folder / "taken.arrow")
    write_batches(path, table.schema, [table])
    return TakenCopies((TakenKeys("method", path, ""), TakenKeys("another", path, "")))


@pytest.mark.parametrize(
    ("method", "copies"),
    [
        (Exact(), [False, False, True, False, False]),
        (Minhash(), [True, False, True, False, False]),
        (Minhash(verify="exact"), [True, False, True, False, False]),
        (Simhash(), [True, False, True, False, False]),
        (CanonicalUrl(), [True, True, True, True, False]),
    ],
    ids=["exact", "minhash", "minhash that compares texts", "simhash", "canonical_url"],
)
def test_copies(method: DedupMethod, copies: list[bool], tmp_path: Path) -> None:
    found = left(tmp_path, method, GONE)
    assert found.among("method", method, made(method, NEW), 5).tolist() == copies
    assert not found.among("unknown", method, made(method, NEW), 5).any()
    assert not NOTHING.among("method", method, made(method, NEW), 5).any()


def test_nothing_but_texts_without_words_was_taken_down(tmp_path: Path) -> None:
    method = Minhash()
    found = left(tmp_path, method, documents("", None))
    assert not found.among("method", method, method.sign(NEW), 5).any()


def test_a_key_that_many_documents_had(tmp_path: Path) -> None:
    """As in a bucket, a document is compared with no more than 64 of them."""
    method = Minhash(bands=1, rows=1, hashes=4, threshold=1.0)
    signatures = np.zeros((100, 4), np.uint32)
    signatures[:, 3] = np.arange(100)
    column = pa.array([row.tobytes() for row in signatures], method.signature_type())
    path = str(tmp_path / "taken.arrow")
    write_batches(path, taken_schema(method), [pa.table({"signature": column})])
    found = TakenCopies((TakenKeys("method", path, ""),)).among("method", method, column, 100)
    assert found.sum() == 64
