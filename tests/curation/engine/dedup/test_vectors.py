"""Semantic duplicates through a whole run: centroids are fitted first, and their file decides the address."""

from pathlib import Path

import numpy as np
import pytest

from curation.core.errors import RecipeError
from tests.curation.engine.dedup.runs import COPY, curate, recipe, rows, set_buckets, write_shards

WORDS = "cat 1 0 0\nkitten 0.98 0.05 0\nstone 0 1 0\nrock 0.05 0.98 0\nsea 0 0 1\n"
SEMANTIC = COPY % "semantic"


@pytest.mark.parametrize("buckets", [1, 4])
def test_vectors_of_words(tmp_path: Path, buckets: int, monkeypatch: pytest.MonkeyPatch) -> None:
    set_buckets(monkeypatch, buckets)
    (tmp_path / "words.vec").write_text(WORDS)
    model = f'model: "{tmp_path}/words.vec"'
    write_shards(tmp_path / "given", [["the cat", "rock", "", "kitten"], ["a stone!", "sea", "unknown words"], ["CAT"]])
    text = recipe(tmp_path / "given", f'semantic: {{{model}, centroids: "@kmeans"}}')
    curate(text.replace("joined:", f"joined:\n  - fit: {{kmeans: {{{model}, clusters: 3}}}}"), tmp_path / "run")
    found = [[(row["drop_reason"], row["semantic"]["copies"]) for row in shard] for shard in rows(tmp_path / "run")]
    assert found == [
        [(None, 3), (None, 2), (None, 1), (SEMANTIC, 3)],
        [(SEMANTIC, 2), (None, 1), (None, 1)],
        [(SEMANTIC, 3)],
    ]


def test_other_centroids_are_no_earlier_run_to_compare_with(tmp_path: Path) -> None:
    """Partitions of other centroids have other documents in them, so nothing would be found."""
    (tmp_path / "words.vec").write_text(WORDS)
    for name, centroids in (("one", np.eye(3)), ("two", np.eye(3)[:2])):
        np.save(tmp_path / f"{name}.npy", centroids.astype(np.float32))
    write_shards(tmp_path / "old", [["the cat", "rock"]])
    write_shards(tmp_path / "new", [["kitten", "sea"]])
    semantic = f'semantic: {{model: "{tmp_path}/words.vec", centroids: "{tmp_path}/%s.npy"}}'
    curate(recipe(tmp_path / "old", semantic % "one"), tmp_path / "first")
    options = f"against: [{tmp_path}/first]"
    with pytest.raises(RecipeError, match="has semantic with other files: fit or make them once"):
        curate(recipe(tmp_path / "new", semantic % "two", options=options), tmp_path / "second")
    curate(recipe(tmp_path / "new", semantic % "one", options=options), tmp_path / "second")
    assert [row["drop_reason"] for row in rows(tmp_path / "second")[0]] == [SEMANTIC, None]
