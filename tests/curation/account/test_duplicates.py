"""What dedup removed, counted by hand."""

from pathlib import Path

import pytest

from curation.account.run import Run
from curation.core.errors import InputError
from tests.curation.engine.dedup.runs import curate, recipe, write_shards

WEB = [
    [
        {"text": "same words", "url": "http://a.example.com/1"},
        {"text": "Same  words", "url": "http://b.example.com/2"},
        {"text": "alone", "url": "http://other.org/"},
    ],
    [{"text": "same words", "url": "http://127.0.0.1/"}, {"text": "same words", "url": "http://x.example.com/"}],
]


def test_removal_and_largest_clusters(tmp_path: Path) -> None:
    write_shards(tmp_path / "given", WEB, "web")
    write_shards(tmp_path / "given", [["alone", "not here"]], "books")
    curate(recipe(tmp_path / "given", "exact: {}", sources=("web", "books")), tmp_path / "run")
    (found,) = Run.open(tmp_path / "run").duplicates()
    assert (found.name, found.rows, found.removed) == ("dedup", 7, {"exact": 4})
    assert found.sizes == ((2, 1), (4, 1))
    assert [(one.name, one.documents, one.removed) for one in found.by_source] == [("web", 5, 3), ("books", 2, 1)]
    assert found.by_source[0].share == 0.6
    assert [(one.name, one.documents, one.removed) for one in found.by_host] == [
        ("127.0.0.1", 1, 1),
        ("b.example.com", 1, 1),
        ("books-0.example", 2, 1),
        ("x.example.com", 1, 1),
    ]
    largest = found.largest[0]
    assert (largest["documents"], largest["diameter"]) == (4, 0)
    assert [(one["url"], one["beginning"], one["kept"]) for one in largest["samples"]] == [
        ("http://a.example.com/1", "same words", True),
        ("http://b.example.com/2", "Same words", False),
        ("http://127.0.0.1/", "same words", False),
        ("http://x.example.com/", "same words", False),
    ]
    assert (found.clusters_above, found.above) == (0, ())


def test_clusters_above_a_limit_are_shown(tmp_path: Path) -> None:
    write_shards(tmp_path / "given", [["a", "a", "a", "b", "b"]])
    curate(recipe(tmp_path / "given", "exact: {}", options="clusters: {max_documents: 2}"), tmp_path / "run")
    (found,) = Run.open(tmp_path / "run").duplicates()
    assert (found.clusters_above, found.clusters_split) == (1, 0)
    assert [one["documents"] for one in found.above] == [3]


def test_a_run_without_dedup(tmp_path: Path) -> None:
    write_shards(tmp_path / "given", [["a"]])
    text = recipe(tmp_path / "given", "exact: {}")
    curate(text[: text.index("joined")], tmp_path / "run")
    with pytest.raises(InputError, match="no sealed dedup stage"):
        Run.open(tmp_path / "run").duplicates()
