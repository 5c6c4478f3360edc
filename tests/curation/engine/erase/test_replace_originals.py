"""After a redacting stage no file holds the originals, whatever happens meanwhile, and the account stays as it was."""

import json
from pathlib import Path

import pytest

from curation.account.run import Run
from curation.core import storage
from curation.core.errors import InputError, RecipeError
from curation.core.manifest import ORIGINALS
from curation.core.run_lock import LOCK
from curation.engine.driver.dry_run import dry_run
from curation.engine.recipe.recipe import parse
from curation.rewrite import c4_lines
from tests.curation.engine.erase.redacting_runs import (
    GOOD,
    RECIPE,
    SECRET,
    RedactingLines,
    curate,
    words_in,
    write_inputs,
)

REDACTED = {name: f"{GOOD} {name[0]}\n{GOOD}" for name in ("0/kept", "1/kept")}
LATE = {name: f"A book of the people {name[0]}." for name in ("0/late", "1/late")}
STAGES = ("web-read", "web-gopher", "web-dedup", "web-redact", "web-late")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(c4_lines, "C4Lines", RedactingLines)
    write_inputs(tmp_path)
    return tmp_path


def texts(run: str, stage: str) -> dict[str, str | None]:
    """Text by "<shard>/<name>", of web documents."""
    rows = [row for batch in Run.open(run).stage(stage).scan(["url", "text"]) for row in batch.to_pylist()]
    return {row["url"].removeprefix("http://").replace(".example", ""): row["text"] for row in rows}


def content(run: str) -> dict[str, bytes]:
    """The run's files by name, without what the clock decides."""
    files = {str(path.relative_to(run)): path for path in Path(run).rglob("*") if path.is_file()}
    whole = {name: path for name, path in files.items() if not name.endswith((LOCK, "progress.json", ".arrow"))}
    return {name: _timeless(path) for name, path in whole.items()}


def _timeless(path: Path) -> bytes:
    if path.suffix != ".json":
        return path.read_bytes()
    value = json.loads(path.read_bytes())
    return json.dumps({k: v for k, v in value.items() if k not in {"wall_seconds", "steps"}}).encode()


def counts(run: str) -> list[tuple[int, int, int, dict[str, int]]]:
    """Rows, kept rows, bytes of text and drop reasons of each stage of documents."""
    manifests = [Run.open(run).stage(name).manifest for name in STAGES]
    return [(m.total("rows"), m.total("kept"), m.total("text_bytes"), m.merged("dropped")) for m in manifests]


def test_kept_originals_stay_where_they_were(folder: Path) -> None:
    run = curate(folder, "run", privacy="")
    holding = {Path(path).parent.name for path, words in words_in(run) if SECRET in words}
    assert {name[3:-9] for name in holding} == {"web-read", "web-gopher", "web-dedup"}


def test_no_file_of_the_run_holds_an_original(folder: Path) -> None:
    assert not [path for path, words in words_in(curate(folder, "run")) if SECRET in words]


def test_earlier_stages_have_the_redacted_text_and_dropped_rows_none(folder: Path) -> None:
    run = curate(folder, "run")
    dropped = dict.fromkeys(("0/short", "1/short"))
    copies = dict.fromkeys(("0/copy", "1/copy"))
    assert texts(run, "web-read") == texts(run, "web-gopher") == REDACTED | LATE | dropped | copies
    assert texts(run, "web-dedup") == REDACTED | LATE | copies
    assert texts(run, "web-redact") == REDACTED | LATE


def test_what_was_counted_and_what_comes_after_is_as_with_kept_originals(folder: Path) -> None:
    kept = curate(folder, "kept", privacy="")
    gone = curate(folder, "gone")
    assert counts(kept) == counts(gone)
    assert texts(kept, "web-late") == texts(gone, "web-late")
    assert [s.kept for s in Run.open(kept).funnel().stages] == [s.kept for s in Run.open(gone).funnel().stages]


def test_the_manifests_say_which_stage_redacted_and_how_much(folder: Path) -> None:
    run = Run.open(curate(folder, "run"))
    redacting = run.stage("web-redact").manifest
    named = {"stage": "web-redact", "address": redacting.address}
    assert all(run.stage(name).manifest.originals == named for name in ("web-read", "web-gopher", "web-dedup"))
    assert redacting.originals == {**named, "replaced": 4 * 4, "emptied": 2 * (2 + 2 + 1)}
    assert run.stage("web-late").manifest.originals is run.stage("books-read").manifest.originals is None


def test_the_run_is_whole_and_running_it_again_changes_nothing(folder: Path) -> None:
    run = curate(folder, "run")
    before = content(run)
    assert Run.open(run).verify(deep=True).problems == ()
    curate(folder, "run")
    assert content(run) == before


@pytest.mark.parametrize("call", [0, 3, 9, 14, 18, 21])
def test_cut_off_at_any_file_the_same_run_ends_in_the_same_bytes(
    folder: Path, monkeypatch: pytest.MonkeyPatch, call: int
) -> None:
    whole = content(curate(folder, "whole"))
    move = storage.move_file
    left = [call]

    def cut_off(source: str, target: str) -> None:
        left[0] -= ORIGINALS in source
        if left[0] < 0:
            raise KeyboardInterrupt
        move(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(storage, "move_file", cut_off)
        with pytest.raises(KeyboardInterrupt):
            curate(folder, "run")
    problems = Run.open(str(folder / "run")).verify().problems
    assert problems[0].what.startswith("originals were being replaced")
    assert content(curate(folder, "run")) == whole


def test_a_damaged_first_stage_is_made_again_without_originals(folder: Path) -> None:
    run = curate(folder, "run")
    whole = content(run)
    next(Path(run).glob("*-web-read-*/part-00001.parquet")).write_bytes(b"damaged")
    for path in Run.open(run).verify().problems[0].delete:
        Path(path).unlink()
    assert content(curate(folder, "run")) == whole


def test_a_changed_earlier_stage_is_refused_in_one_line(folder: Path) -> None:
    curate(folder, "run")
    with pytest.raises(InputError, match="web-gopher would read the texts of web-read, whose originals went when"):
        curate(folder, "run", words=12)


def test_a_changed_later_stage_runs_on_the_redacted_text(folder: Path) -> None:
    curate(folder, "run")
    changed = curate(folder, "run", sentences=1)
    anew = curate(folder, "anew", sentences=1)
    assert texts(changed, "web-late") == texts(anew, "web-late") == REDACTED | LATE


def test_originals_go_only_where_something_redacts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    values = {"folder": folder, "privacy": "privacy: {originals: until_sealed}", "words": 1, "sentences": 1}
    with pytest.raises(RecipeError, match="no stage of the recipe redacts"):
        dry_run(parse(RECIPE % values, "private.yaml"), str(folder / "run"))
