"""Documents taken out of key files: a later run keeps its copies of them, and the keys that others have stay."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pytest

from curation.core.component import Keyed
from curation.core.dedup_methods import DedupMethod
from curation.core.shard_files import ShardFiles
from curation.dedup.clusters.survival import Keep
from curation.dedup.exact import Exact
from curation.engine.erase import dedup_keys
from curation.engine.erase.dedup_keys import methods_of
from curation.engine.erase.replacing import Replacement
from curation.engine.run import exchange
from tests.curation.engine.dedup.runs import COPY, curate, manifest, recipe, rows, stage_folder, write_shards

EXACT = COPY % "exact"


def forget(folder: Path, methods: Keyed[DedupMethod | None], *docs: int) -> None:
    """Has the first run's stage forget documents."""
    stage = stage_folder(folder / "first")
    replacement = Replacement(str(stage), "_new")
    files = ShardFiles(str(stage), manifest(folder / "first"))
    dedup_keys.forget(replacement, files, methods, Keep.parse("earliest"), np.array(docs, np.int64))
    replacement.finish()


def reasons(folder: Path, name: str) -> list[str | None]:
    text = recipe(folder / "new", "exact: {}", options=f"against: [{folder}/first]")
    curate(text, folder / name)
    return [row["drop_reason"] for row in rows(folder / name)[0]]


def test_forgotten_documents_are_not_found(tmp_path: Path) -> None:
    write_shards(tmp_path / "old", [["a", "b", "twice", "twice"], ["c"]])
    write_shards(tmp_path / "new", [["a", "b", "c", "twice"]])
    curate(recipe(tmp_path / "old", "exact: {}"), tmp_path / "first")
    assert reasons(tmp_path, "before") == [EXACT] * 4
    stage = stage_folder(tmp_path / "first")

    exact = (("exact", Exact()),)
    forget(tmp_path, exact, 0, 2)  # of the two equal ones the first, which stood for both
    assert reasons(tmp_path, "after") == [None, EXACT, EXACT, EXACT]
    assert rows(tmp_path / "after")[0][3]["exact"]["duplicate_of"] == (1 << 32) + 3
    forget(tmp_path, exact, 3, 1 << 32)
    assert reasons(tmp_path, "last") == [None, EXACT, None, None]
    assert json.loads((stage / "_forgotten.json").read_text()) == [0, 2, 3, 1 << 32]
    curate(recipe(tmp_path / "old", "exact: {}"), tmp_path / "first")  # the sealed stage itself stays as it is
    assert [row["drop_reason"] for row in rows(tmp_path / "first")[0]] == [None, None, None, EXACT]


LONG = (
    "a sentence of this text stands in no other one, and it is longer than a hundred bytes: %s, says number %d of them"
)


def written(number: int) -> str:
    """Three paragraphs that no other number has."""
    lines = [LONG % (" ".join(f"word{number}-{line}-{i}" for i in range(12)), number) for line in range(3)]
    return "\n\n".join(lines)


def marks(folder: Path, methods: str) -> list[bool]:
    """Of the documents of a new run against the first one, which it dropped or found spans in."""
    text = recipe(folder / "new", methods, options=f"against: [{folder}/first]")
    output = folder / f"run-{len(list(folder.iterdir()))}"
    curate(text, output)
    key = methods.partition(":")[0].strip()
    found = rows(output)[0]
    return [bool(row[key].get("spans") or row["drop_reason"]) for row in found]


@pytest.mark.parametrize(
    ("methods", "gathered"),
    [
        ("minhash: {threshold: 0.7}", True),
        ("minhash: {threshold: 0.7}", False),
        ("simhash: {}", False),
        ("paragraph: {}", True),
        ("exact: {}", False),
    ],
)
def test_each_method_forgets_the_documents_and_no_others(
    tmp_path: Path, methods: str, gathered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Document 1 has a paragraph of document 0 in the same shard: forgetting one leaves the other's key."""
    monkeypatch.setattr(exchange, "RANGES", 0 if gathered else 8192)
    shared = written(0) if methods.startswith(("exact", "simhash", "minhash")) else written(0) + "\n\n" + written(9)
    old = [[written(0), shared, written(2), written(3)], [written(4)]]
    write_shards(tmp_path / "old", old)
    write_shards(tmp_path / "new", [[written(0), written(2), written(3), written(4), written(7)]])
    curate(recipe(tmp_path / "old", methods), tmp_path / "first")
    assert marks(tmp_path, methods) == [True, True, True, True, False]
    stage = stage_folder(tmp_path / "first")
    sealed = manifest(tmp_path / "first")
    forget(tmp_path, methods_of(sealed), 0, 2)
    assert marks(tmp_path, methods) == [True, False, True, True, False], "document 1 still has what 0 had"
    before = {str(path): path.read_bytes() for path in sorted(stage.glob("_keys*/*"))}
    forget(tmp_path, methods_of(sealed), 0, 2)
    assert {str(path): path.read_bytes() for path in sorted(stage.glob("_keys*/*"))} == before
    assert not [path for path in stage.glob("_keys*/*") if path.name.startswith("_")]
    forget(tmp_path, methods_of(sealed), 1, 1 << 32)
    assert marks(tmp_path, methods) == [False, False, True, False, False]


def test_methods_that_cannot_be_made_again_lose_the_documents_rows(tmp_path: Path) -> None:
    write_shards(tmp_path / "old", [["a", "b", "c"]])
    curate(recipe(tmp_path / "old", "exact: {}"), tmp_path / "first")
    stage = stage_folder(tmp_path / "first")
    forget(tmp_path, (("exact", None),), 1)
    with pa.ipc.open_file(stage / "_keys" / "keys-00000.arrow") as file:
        assert sorted(file.read_all()["doc"].to_pylist()) == [0, 2]


def test_what_a_manifest_says_of_methods(tmp_path: Path) -> None:
    write_shards(tmp_path / "old", [["a", "b"]])
    curate(recipe(tmp_path / "old", "exact: {}, bloom: {expected_items: 10}"), tmp_path / "first")
    found = manifest(tmp_path / "first")
    assert methods_of(found) == (("exact", Exact()), ("bloom", None))
    parts = {**found.address_parts, "versions": {**found.address_parts["versions"], "exact": 0}}
    assert methods_of(dataclasses.replace(found, address_parts=parts)) == (("exact", None), ("bloom", None))


def test_keys_of_two_rounds(tmp_path: Path) -> None:
    """No later run reads them, so those of the documents are left out and nothing is made again; the second round's are
    gone."""
    write_shards(tmp_path / "old", [[written(0), written(0) + "\n\n" + written(1), written(2)]])
    curate(recipe(tmp_path / "old", "substring: {}"), tmp_path / "first")
    stage = stage_folder(tmp_path / "first")
    sealed = manifest(tmp_path / "first")
    assert methods_of(sealed) == (("substring", None),)
    forget(tmp_path, methods_of(sealed), 0)
    assert not (stage / "_refined").exists()
    with pa.ipc.open_file(stage / "_keys" / "keys-00000.arrow") as file:
        assert 0 not in file.read_all()["doc"].to_pylist()
