"""The pre-pass changes what is written and no verdict."""

from pathlib import Path

import pytest

from curation.core.errors import RecipeError
from curation.engine.recipe.dedup_options import Prepass
from tests.curation.engine.dedup.runs import curate, manifest, recipe, rows, stage_folder, write_shards
from tests.curation.engine.dedup.test_verify import shards

METHODS = ("exact: {}, minhash: {threshold: 0.8}, simhash: {}", "line: {}, paragraph: {}")
FOOT = "Nobody may copy what stands on this page, or most of it."


@pytest.mark.parametrize("methods", METHODS)
@pytest.mark.parametrize("groups", [1, 3])
def test_the_verdicts_are_the_same(tmp_path: Path, groups: int, methods: str) -> None:
    texts = [[f"{text}\n{FOOT}" for text in shard] for shard in shards(5)]
    write_shards(tmp_path / "given", texts)
    curate(recipe(tmp_path / "given", methods), tmp_path / "without")
    options = f"prepass: {{expected_keys: 5000, groups: {groups}}}"
    curate(recipe(tmp_path / "given", methods, options=options), tmp_path / "with")
    assert rows(tmp_path / "with") == rows(tmp_path / "without")
    said = manifest(tmp_path / "with").dedup
    plain = manifest(tmp_path / "without").dedup
    assert said["prepass"]["keys"] == plain["keys"]
    assert said["keys"] == plain["keys"] - said["prepass"]["not_written"]
    assert said["keys"] < plain["keys"] / 2
    assert sorted(path.name for path in stage_folder(tmp_path / "with").iterdir() if path.is_dir()) == [
        "_commits",
        "_keys",
    ]


def test_keys_of_an_earlier_run_count(tmp_path: Path) -> None:
    """Each new document occurs once here, and two of them there."""
    write_shards(tmp_path / "old", [["a", "b"]])
    write_shards(tmp_path / "new", [["a", "c"], ["b"]])
    curate(recipe(tmp_path / "old", "exact: {}"), tmp_path / "first")
    options = f"against: [{tmp_path}/first]\nprepass: {{expected_keys: 9}}"
    curate(recipe(tmp_path / "new", "exact: {}", options=options), tmp_path / "second")
    copy = "dedup.exact:duplicate"
    assert [[row["drop_reason"] for row in shard] for shard in rows(tmp_path / "second")] == [[copy, None], [copy]]
    text = recipe(tmp_path / "old", "exact: {}", options=f"against: [{tmp_path}/second]")
    with pytest.raises(RecipeError, match="had a prepass, so keys that occur once are not in its files"):
        curate(text, tmp_path / "third")


@pytest.mark.parametrize("option", ["expected_keys: 0", "expected_keys: 5, groups: 0"])
def test_sizes_that_cannot_be(tmp_path: Path, option: str) -> None:
    with pytest.raises(RecipeError, match=r"give 1 or more expected_keys and groups, got [05] and [04]$"):
        curate(recipe(tmp_path, "exact: {}", options=f"prepass: {{{option}}}"), tmp_path / "run")


def test_a_sketch_that_is_too_large() -> None:
    with pytest.raises(ValueError, match="more than max_mb: 4096"):
        Prepass(expected_keys=10**12).check_size()
