"""A whole dedup stage: the same verdicts for any number of buckets, shards and rounds, and after a crash."""

from pathlib import Path

import numpy as np
import pytest

from curation.core.errors import RecipeError, StageError
from tests.commits import uncommit
from tests.curation.engine.dedup.runs import (
    COPY,
    Rows,
    curate,
    deduplicated,
    manifest,
    recipe,
    rows,
    set_buckets,
    stage_folder,
    write_shards,
)
from tests.noting import Noting
from tests.runs import data_hashes

SHARDS = [["a", "b", "a"], ["c", "b"], [], ["d", "a"]]
EXACT = COPY % "exact"


def told(found: Rows, method: str = "exact") -> list[list[tuple[object, ...]]]:
    return [
        [
            (row["text"], row["drop_reason"], *(row[method][k] for k in ("duplicate_of", "copies", "cluster")))
            for row in s
        ]
        for s in found
    ]


@pytest.mark.parametrize(("buckets", "local_links"), [(1, 20_000_000), (8, 20_000_000), (8, 0)])
def test_verdicts(tmp_path: Path, buckets: int, local_links: int, monkeypatch: pytest.MonkeyPatch) -> None:
    set_buckets(monkeypatch, buckets, buckets)
    found = deduplicated(tmp_path, SHARDS, "exact: {}", options=f"local_links: {local_links}")
    first = (0, 3, 0)
    second = (1, 2, 1)
    assert told(found)[0] == [
        ("a", None, None, *first[1:]),
        ("b", None, None, *second[1:]),
        ("a", EXACT, *first),
    ]
    assert told(found)[1] == [("c", None, None, 1, None), ("b", EXACT, *second)]
    assert told(found)[2] == []
    assert told(found)[3] == [("d", None, None, 1, None), ("a", EXACT, *first)]
    figures = manifest(tmp_path / "run").dedup
    assert (figures["rounds"] > 0) == (local_links == 0)
    assert figures["clusters"]["sizes"] == [(2, 1), (3, 1)]
    largest = {"root": 0, "documents": 3, "diameter": 0, "members": [2, (3 << 32) + 1]}
    assert figures["clusters"]["largest"][0] == largest


def test_all_stay_and_the_columns_are_the_same(tmp_path: Path) -> None:
    dropping, marking = (tmp_path / name for name in ("dropping", "marking"))
    for folder in (dropping, marking):
        folder.mkdir()
    expected = told(deduplicated(dropping, SHARDS, "exact: {}"))
    found = told(deduplicated(marking, SHARDS, "exact: {}", options="keep: all"))
    assert found == [[(text, None, *others) for text, _, *others in shard] for shard in expected]


def test_the_best_document_stays(tmp_path: Path) -> None:
    texts = [["one two", "one  two"], ["ONE     TWO", "other"]]
    found = deduplicated(tmp_path, texts, "exact: {}", options="keep: longest")
    assert told(found) == [
        [("one two", EXACT, 1 << 32, 3, 1 << 32), ("one  two", EXACT, 1 << 32, 3, 1 << 32)],
        [("ONE     TWO", None, None, 3, 1 << 32), ("other", None, None, 1, None)],
    ]


def test_sources_in_order_of_preference(tmp_path: Path) -> None:
    given = tmp_path / "given"
    write_shards(given, [["a", "b"]], "web")
    write_shards(given, [["b", "c"]], "books")
    text = recipe(given, "exact: {}", sources=("web", "books"), options="keep: {sources: [books, web]}")
    curate(text, tmp_path / "run")
    assert [[row["drop_reason"] for row in shard] for shard in rows(tmp_path / "run")] == [[None, EXACT], [None, None]]


def test_links_of_several_methods_make_one_cluster(tmp_path: Path) -> None:
    """b is a's copy by text, and c is b's by url: one survivor, and each names the method that links it."""
    documents = [
        {"text": "x", "url": "http://1/"},
        {"text": "x", "url": "http://2/"},
        {"text": "y", "url": "http://2/"},
    ]
    found = deduplicated(tmp_path, [documents], "exact: {}, canonical_url: {}")[0]
    assert [row["drop_reason"] for row in found] == [None, EXACT, COPY % "canonical_url"]
    assert [row["exact"]["duplicate_of"] for row in found] == [None, 0, None]
    assert [row["url"] for row in found] == ["http://1/", "http://2/", "http://2/"]
    assert [row["exact"]["copies"] for row in found] == [3, 3, 1]


def test_many_equal_documents_cost_a_row_per_shard(tmp_path: Path) -> None:
    deduplicated(tmp_path, [["same"] * 50, ["same"] * 50], "exact: {}")
    found = manifest(tmp_path / "run").dedup
    assert (found["keys"], found["links"]) == (2, 49 + 49 + 1)
    assert found["clusters"]["sizes"] == [(128, 1)]


def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    write_shards(tmp_path / "given", SHARDS)
    text = recipe(tmp_path / "given", "exact: {}")
    run = tmp_path / "run"
    curate(text, run)
    expected = data_hashes(run)
    folder = stage_folder(run)
    (folder / "_manifest.json").unlink()
    uncommit(folder, [1], "_keys")
    uncommit(folder, [3])
    noting = Noting()
    curate(text, run, noting)
    assert noting.ran == [("KeysStep", [1]), ("CollideStep", [0]), ("ElectStep", [0]), ("AttachStep", [3])]
    assert data_hashes(run) == expected
    assert [path.name for path in sorted(folder.iterdir()) if path.is_dir()] == ["_commits", "_keys"]


def test_a_source_that_loses_too_much_stops_the_run(tmp_path: Path) -> None:
    write_shards(tmp_path / "given", [["a"] * 6 + ["b"] * 4])  # 8 of 10 go
    text = recipe(tmp_path / "given", "exact: {}", options="max_removed: {source: %s}")
    curate(text % 0.8, tmp_path / "run")
    with pytest.raises(StageError, match=r"web.*80.0%.*max_removed.*0.79"):
        curate(text % 0.79, tmp_path / "run")
    curate((text % 0.79).replace("source: 0.79", "source: 0.79, web: 0.8"), tmp_path / "run")


WORDS = "cat 1 0 0\nkitten 0.98 0.05 0\nstone 0 1 0\nrock 0.05 0.98 0\nsea 0 0 1\n"
SEMANTIC = COPY % "semantic"


@pytest.mark.parametrize("buckets", [1, 4])
def test_vectors_of_words(tmp_path: Path, buckets: int, monkeypatch: pytest.MonkeyPatch) -> None:
    set_buckets(monkeypatch, buckets)
    (tmp_path / "words.vec").write_text(WORDS)
    model = f'model: "{tmp_path}/words.vec"'
    write_shards(
        tmp_path / "given",
        [["the cat", "rock", "nothing known", "kitten"], ["a stone!", "sea", "unknown words"], ["CAT"]],
    )
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


@pytest.mark.parametrize("at", ["", "/*-dedup-*"], ids=["a run", "a stage of its own"])
def test_texts_of_an_earlier_stage_are_found_where_they_lie(tmp_path: Path, at: str) -> None:
    """Evidence is made of texts, which the earlier dedup stage, not the last of its chain, only read."""
    words = [f"word{number}" for number in range(400)]
    same = " ".join(words)
    other = " ".join([*words[:-1], "another"])
    minhash = "minhash: {hashes: 2, bands: 1, rows: 1, threshold: 0.999, verify: exact}"
    write_shards(tmp_path / "old", [["first", "second"], [other, same, "third"]])
    curate(recipe(tmp_path / "old", minhash) + "  - filter: {language: {}}\n", tmp_path / "first")
    assert [row["text"] for shard in rows(tmp_path / "first") for row in shard] == [None] * 5
    (against,) = tmp_path.glob(f"first{at}")
    write_shards(tmp_path / "new", [[same, "fourth"]])
    curate(recipe(tmp_path / "new", minhash, options=f"against: [{against}]"), tmp_path / "second")
    assert [row["drop_reason"] for row in rows(tmp_path / "second")[0]] == [COPY % "minhash", None]
    assert rows(tmp_path / "second")[0][0]["minhash"]["duplicate_of"] == ((1 + 1) << 32) + 1
