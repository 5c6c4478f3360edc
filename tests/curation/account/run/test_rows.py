"""A document by its engine id: in its stage, in a stage of an earlier run, or in none."""

from pathlib import Path

import pytest

from curation.account.run.rows import find_document, read_row
from curation.core.errors import InputError
from tests.curation.engine.conftest import ran as ran
from tests.curation.engine.dedup.runs import curate, manifest, recipe, stage_folder, write_shards

Ran = list[tuple[str, list[int]]]


def test_rows(tmp_path: Path, ran: Ran) -> None:
    write_shards(tmp_path / "old", [["one", "two"], ["thrée"]])
    curate(recipe(tmp_path / "old", "exact: {}"), tmp_path / "first")
    write_shards(tmp_path / "new", [["two", "four"]])
    curate(recipe(tmp_path / "new", "exact: {}", options=f"against: [{tmp_path}/first]"), tmp_path / "second")
    folder, sealed = str(stage_folder(tmp_path / "second")), manifest(tmp_path / "second")
    own = find_document(folder, sealed, 1)
    assert (own.folder, own.manifest, own.shard, own.row) == (folder, sealed, 0, 1)
    earlier = find_document(folder, sealed, 2 << 32)
    assert earlier.manifest is not None
    assert (earlier.folder, earlier.shard) == (str(stage_folder(tmp_path / "first")), 1)
    row = read_row(earlier.folder, earlier.manifest, earlier.shard, earlier.row)
    assert (row["url"], row["text"]) == ("http://web-1.example/0", 6)
    assert read_row(earlier.folder, earlier.manifest, 1, 0, beginning=3)["text"] == "thr"
    with pytest.raises(InputError, match="has no row 1 in shard 1"):
        read_row(earlier.folder, earlier.manifest, 1, 1)
    with pytest.raises(InputError, match="names a document of shard 3, which it does not have"):
        find_document(folder, sealed, 3 << 32)
