"""Documents taken out of key files: a later run keeps its copies of them, and the keys that others have stay."""

import json
from pathlib import Path

import numpy as np

from curation.dedup.exact import Exact
from curation.dedup.order import Keep
from curation.engine.dedup.forget import forget
from tests.curation.engine.dedup.runs import COPY, curate, recipe, rows, stage_folder, write_shards

Ran = list[tuple[str, list[int]]]
EXACT = COPY % "exact"


def reasons(folder: Path, name: str) -> list[str | None]:
    text = recipe(folder / "new", "exact: {}", options=f"against: [{folder}/first]")
    curate(text, folder / name)
    return [row["drop_reason"] for row in rows(folder / name)[0]]


def test_forgotten_documents_are_not_found(tmp_path: Path, ran: Ran) -> None:
    write_shards(tmp_path / "old", [["a", "b", "twice", "twice"], ["c"]])
    write_shards(tmp_path / "new", [["a", "b", "c", "twice"]])
    curate(recipe(tmp_path / "old", "exact: {}"), tmp_path / "first")
    assert reasons(tmp_path, "before") == [EXACT] * 4
    stage = stage_folder(tmp_path / "first")

    def gone(*docs: int) -> None:
        forget(str(stage), (("exact", Exact()),), Keep.parse("earliest"), np.array(docs, np.int64))

    gone(0, 2)  # of the two equal ones the first, which stood for both
    assert reasons(tmp_path, "after") == [None, EXACT, EXACT, EXACT]
    assert rows(tmp_path / "after")[0][3]["exact"]["duplicate_of"] == (1 << 32) + 3
    gone(3, 1 << 32)
    assert reasons(tmp_path, "last") == [None, EXACT, None, None]
    assert json.loads((stage / "_forgotten.json").read_text()) == [0, 2, 3, 1 << 32]
    curate(recipe(tmp_path / "old", "exact: {}"), tmp_path / "first")  # the sealed stage itself stays as it is
    assert [row["drop_reason"] for row in rows(tmp_path / "first")[0]] == [None, None, None, EXACT]
