"""Dedup against earlier runs: what they have goes, whichever run it is in, and forgotten documents come back."""

from pathlib import Path
from typing import Any

import pytest

from curation.account.run import Run
from curation.core.errors import RecipeError
from tests.curation.engine.dedup.runs import COPY, curate, manifest, recipe, rows, stage_folder, write_shards

OLD = [["a", "b"], ["b", "c", ""]]  # a blank text ends where it is read
NEW = [["new", "b", "new"], ["A", ""]]
EXACT = COPY % "exact"


def both(folder: Path, methods: str, new: str | None = None, **more: Any) -> list[list[str | None]]:
    """Reasons by shard of a run over NEW against one over OLD."""
    write_shards(folder / "old", OLD)
    write_shards(folder / "new", NEW)
    curate(recipe(folder / "old", methods, **more), folder / "first")
    curate(recipe(folder / "new", new or methods, options=f"against: [{folder}/first]", **more), folder / "second")
    return [[row["drop_reason"] for row in shard] for shard in rows(folder / "second")]


def test_what_an_earlier_run_has_is_dropped(tmp_path: Path) -> None:
    assert both(tmp_path, "exact: {}") == [[None, EXACT, EXACT], [EXACT]]
    found = rows(tmp_path / "second")
    first = 2 << 32  # the earlier run's shards follow after the two of this one
    assert [row["exact"]["duplicate_of"] for row in found[0]] == [None, first + 1, 0]
    assert found[1][0]["exact"] == {"duplicate_of": first, "copies": 2, "cluster": first}


def test_why_names_the_document_of_the_earlier_run(tmp_path: Path) -> None:
    both(tmp_path, "exact: {}")
    (story,) = Run.open(tmp_path / "second").why(url="http://web-0.example/1")
    assert story.duplicate_of is not None
    assert (story.duplicate_of["method"], story.duplicate_of["url"]) == ("exact", "http://web-0.example/1")
    assert story.duplicate_of["run"].startswith(str(tmp_path / "first"))


def test_lines_of_an_earlier_run_are_cut(tmp_path: Path) -> None:
    foot = "This line stands at the foot of every page."
    write_shards(tmp_path / "old", [[f"old page\n{foot}"]])
    write_shards(tmp_path / "new", [[f"{foot}\nnew page"]])
    curate(recipe(tmp_path / "old", "line: {}"), tmp_path / "first")
    curate(recipe(tmp_path / "new", "line: {}", options=f"against: [{tmp_path}/first]"), tmp_path / "second")
    assert rows(tmp_path / "second")[0][0]["line"]["spans"] == [{"start": 0, "stop": len(foot)}]


def test_a_stage_may_have_other_methods_and_another_order(tmp_path: Path) -> None:
    found = both(tmp_path, "canonical_url: {}, exact: {}", new="exact: {}")
    assert found == [[None, EXACT, EXACT], [EXACT]]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("exact: {}", "line: {}", "dedup has no line"),
        ("line: {}", "line: {min_copies: 3}", "dedup has line with other options"),
    ],
)
def test_stages_that_cannot_be_compared(tmp_path: Path, old: str, new: str, message: str) -> None:
    write_shards(tmp_path / "given", OLD)
    curate(recipe(tmp_path / "given", old), tmp_path / "first")
    text = recipe(tmp_path / "given", new, options=f"against: [{tmp_path}/first]")
    with pytest.raises(RecipeError, match=message):
        curate(text, tmp_path / "second")


def test_a_run_against_two(tmp_path: Path) -> None:
    both(tmp_path, "exact: {}")
    write_shards(tmp_path / "third", [["c", "new", "newest"]])
    options = f"against: [{tmp_path}/first, {stage_folder(tmp_path / 'second')}]"
    curate(recipe(tmp_path / "third", "exact: {}", options=options), tmp_path / "run")
    assert [row["drop_reason"] for row in rows(tmp_path / "run")[0]] == [EXACT, EXACT, None]
    assert [one["first"] for one in manifest(tmp_path / "run").dedup["earlier"]] == [1, 3]


def test_every_chain_of_an_earlier_run_counts(tmp_path: Path) -> None:
    """Dedup in the chain of each source, and once more of what is left of both."""
    write_shards(tmp_path / "given", [["alpha", "alpha", "both"]], "web")
    write_shards(tmp_path / "given", [["beta", "both"]], "books")
    text = recipe(tmp_path / "given", "exact: {}", sources=("web", "books"))
    chain = text.replace(", url: url}}\n", ", url: url}}\n    - dedup: {exact: {}}\n")
    curate(chain[: chain.index("joined")] + "joined:\n  - rewrite: {unicode: {}}\n", tmp_path / "apart")
    curate(chain, tmp_path / "joined")
    assert [[row["drop_reason"] for row in shard] for shard in rows(tmp_path / "joined")] == [
        [None, None],
        [None, EXACT],
    ]
    write_shards(tmp_path / "new", [["alpha", "beta", "both", "gamma"]])
    for earlier, stages in (("apart", 2), ("joined", 1)):
        options = f"against: [{tmp_path}/{earlier}]"
        curate(recipe(tmp_path / "new", "exact: {}", options=options), tmp_path / f"against-{earlier}")
        assert [row["drop_reason"] for row in rows(tmp_path / f"against-{earlier}")[0]] == [EXACT, EXACT, EXACT, None]
        assert len(manifest(tmp_path / f"against-{earlier}").dedup["earlier"]) == stages


def test_documents_of_earlier_runs_are_not_compared_with_each_other(tmp_path: Path) -> None:
    write_shards(tmp_path / "old", [["same"] * 3, ["same", "other"]])
    curate(recipe(tmp_path / "old", "exact: {}"), tmp_path / "first")
    write_shards(tmp_path / "new", [["new"]])
    options = f"against: [{tmp_path}/first]"
    curate(recipe(tmp_path / "new", "exact: {}", options=options), tmp_path / "second")
    found = manifest(tmp_path / "second").dedup
    assert (found["links"], found["clusters"]["sizes"]) == (0, [])
