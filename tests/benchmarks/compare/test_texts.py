"""The held-out texts: the half on which nothing is fitted, in English, few pieces of a long document."""

import hashlib
import json
from pathlib import Path

from benchmarks.classifier.halves import PIECE
from benchmarks.compare.texts import KINDS, write_heldout
from tests.support import needs_shared_data


@needs_shared_data
def test_held_out_is_the_half_that_nothing_is_fitted_on(tmp_path: Path) -> None:
    files = write_heldout(tmp_path, most=1, documents=20)
    assert [file.name.partition(".")[0] for file in files] == [name.partition(".")[0] for name in KINDS]
    for file in files:
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        assert 5 <= len(rows) <= 20
        assert all(hashlib.sha1(row["doc_id"].encode()).digest()[0] % 2 for row in rows)
        assert all(len(row["text"].rstrip("\n").rpartition("\n")[0]) < PIECE for row in rows)
