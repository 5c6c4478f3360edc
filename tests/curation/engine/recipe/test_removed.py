"""Takedowns of other runs and lists, as a recipe takes them over; every place is in tests/contracts."""

from pathlib import Path
from typing import Any

import pytest

from curation.core import storage
from curation.core.errors import InputError, RecipeError
from curation.core.manifest import FORMAT, RUN, RunRecord, write_json
from curation.core.removals import KnownTakedown
from curation.engine.recipe.recipe import parse
from curation.engine.recipe.removed import notes, removals, removals_of
from tests.object_store import server as server
from tests.object_store import store as store

DAY = "2026-11-0%d"
RECIPE = """
version: 1
name: r
removed: %s/list.txt
sources:
  web:
    - read: {jsonl: {paths: [a.jsonl]}}
"""


def entry(day: int, *, finished: bool = True, **counts: int) -> dict[str, Any]:
    return {"when": DAY % day, "tombstones": 0, "texts": 0, "finished": finished, **counts}


def run(folder: Path, *entries: dict[str, Any], **names: Any) -> str:
    """A run with these takedowns and nothing else."""
    folder.mkdir()
    write_json(
        str(folder / RUN), RunRecord(FORMAT, "r", {"sources": {}, "joined": []}, (), True, takedowns=entries, **names)
    )
    return str(folder)


def test_each_takedown_has_its_own_names(tmp_path: Path) -> None:
    first = run(
        tmp_path / "m1",
        entry(1, tombstones=2, texts=1),
        entry(2, tombstones=1, texts=2, urls=1),
        tombstones=("a", "b", "c"),
        taken_texts=("x", "y", "z"),
        taken_urls=("u",),
    )
    assert removals_of(first) == [
        KnownTakedown(first, DAY % 1, (), ("x",), (), 2),
        KnownTakedown(first, DAY % 2, (), ("y", "z"), ("u",), 1),
    ]


def test_runs_that_read_each_other(tmp_path: Path) -> None:
    """Also what a run knew of another that is gone, and of a list."""
    gone = KnownTakedown("/gone", DAY % 1, texts=("g",))
    listed = KnownTakedown("/list.txt", "", ("d",), urls=("l",))
    first, second = str(tmp_path / "m1"), str(tmp_path / "m2")
    run(tmp_path / "m1", entry(3, tombstones=1), tombstones=("a",), reads=(second,))
    run(tmp_path / "m2", entry(4, tombstones=1), tombstones=("b",), reads=(first, "/gone"), removals=(gone, listed))
    own, other = KnownTakedown(first, DAY % 3, documents=1), KnownTakedown(second, DAY % 4, documents=1)
    pages = KnownTakedown("/list.txt", "", urls=("l",), documents=1)  # its doc_ids are of the second run
    assert removals_of(second) == [other, gone, pages, own]
    assert removals_of(first) == [own, other, gone, pages]


def test_one_that_was_cut_off(tmp_path: Path) -> None:
    first = run(tmp_path / "m1", entry(1, finished=False))
    with pytest.raises(InputError, match=r"a takedown in .*m1 was cut off; run the same `winnow takedown` again"):
        removals_of(run(tmp_path / "m2", reads=(first,)))


def test_the_list(tmp_path: Path) -> None:
    text = RECIPE % tmp_path
    (tmp_path / "list.txt").write_text(f"https://a.example/1\n{'0' * 32}\nhttp://www.a.example/1#top\n")
    (found,) = removals(parse(text, "r.yaml"), (), str(tmp_path / "run"))
    assert (found.of, found.when, found.doc_ids) == (f"{tmp_path}/list.txt", "", ("0" * 32,))
    assert len(found.urls) == 1, "both lines name one page"
    other = [KnownTakedown("/runs/m1", DAY % day, documents=day) for day in (1, 2)]
    assert notes([found, *other]) == (
        f"kept out of this run: 2 pages and documents named by {tmp_path}/list.txt",
        "kept out of this run: 3 documents taken down in /runs/m1",
    )
    (tmp_path / "list.txt").write_text("a.example\n")
    with pytest.raises(RecipeError, match=r"r.yaml:4: removed: .*list.txt:1: 'a.example' is not a url or a doc_id"):
        removals(parse(text, "r.yaml"), (), str(tmp_path / "run"))
    assert parse(text, "r.yaml").resolved()["removed"] == f"{tmp_path}/list.txt"


@pytest.mark.usefixtures("store")
def test_a_list_in_a_store_is_kept_without_its_credentials(tmp_path: Path) -> None:
    storage.write_bytes("s3://bucket/list.txt", f"{'0' * 32}\n".encode())
    text = RECIPE.replace("%s/", "s3://me:password@bucket/")
    (found,) = removals(parse(text, "r.yaml"), (), str(tmp_path / "run"))
    assert (found.of, found.doc_ids) == ("s3://***@bucket/list.txt", ("0" * 32,))


def test_a_list_keeps_the_name_that_the_recipe_gives_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A job of a cluster unpacks it to another folder each time."""
    text = RECIPE % "."
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        Path("list.txt").write_text("d" * 32 + "\n")
        assert [one.of for one in removals(parse(text, "r.yaml"), (), str(tmp_path / "run"))] == ["./list.txt"]
