"""What a run, `show`, `why` and `tune` say of originals that are gone, and that they say it of no others."""

from pathlib import Path

import pytest

from curation.account.run import Run
from curation.core.progress import Progress
from curation.rewrite import c4_lines
from tests.curation.engine.erase.redacting_runs import RECIPE, UNTIL_SEALED, RedactingLines, curate, write_inputs

GOING = "the redacted text takes the place of the originals, in it and the stages before it"
GONE = "the originals are gone: in it and the stages before it 16 rows have the redacted text, 10 none"
FIT = "    - fit: {tokenizer: {vocab_size: 300}}\n      name: early\n"
REDACT = "    - rewrite: {c4_lines"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(c4_lines, "C4Lines", RedactingLines)
    write_inputs(tmp_path)
    return tmp_path


def noted(folder: Path, run: str = "run", privacy: str = UNTIL_SEALED, recipe: str = RECIPE) -> list[tuple[str, str]]:
    """The stage and text of each note of a run that speaks of originals. Each stage begins once."""
    told: list[Progress] = []
    curate(folder, run, privacy, recipe=recipe, on_progress=told.append)
    began = [one.stage for one in told if one.step == "start"]
    assert len(began) == len(set(began))
    return [(one.stage, one.note) for one in told if one.step == "note" and "originals" in one.note]


def gone(run: str, stage: str) -> dict[str, bool]:
    """Whether the text went, by the name of the page, of the first shard's rows."""
    shown = Run.open(run).show(stage)
    return {(row.url or "").rpartition("/")[2]: row.text_gone for row in shown if "//0." in (row.url or "")}


def test_the_run_says_once_that_originals_go_and_how_many_went(folder: Path) -> None:
    assert noted(folder) == [("web-redact", GOING), ("web-redact", GONE)]
    assert noted(folder) == []
    assert noted(folder, "kept", privacy="") == []


def test_the_run_names_a_fit_that_learnt_from_originals(folder: Path) -> None:
    assert noted(folder, recipe=RECIPE.replace(REDACT, FIT + REDACT)) == [
        ("web-redact", "web-early learnt from originals and may hold words of them; fit after web-redact"),
        ("web-redact", GOING),
        ("web-redact", GONE),
    ]


def test_show_tells_a_text_that_is_gone_from_an_empty_one(folder: Path) -> None:
    run = curate(folder, "run")
    assert gone(run, "web-read") == {"kept": False, "short": True, "copy": True, "late": False}
    assert gone(run, "web-redact") == {"kept": False, "late": False}
    assert gone(run, "web-late") == {"kept": False, "late": False}
    assert not any(gone(curate(folder, "kept", privacy=""), "web-read").values())


def test_why_names_the_stage_that_redacted(folder: Path) -> None:
    for privacy, stage in ((UNTIL_SEALED, "web-redact"), ("", None)):
        (story,) = Run.open(curate(folder, f"run-{stage}", privacy)).why(url="http://0.example/short")
        assert story.redacted_by == stage


def test_tune_says_which_stage_cannot_run_here_again(folder: Path) -> None:
    limits = {"gopher_quality": {"min_words": 5}, "c4_quality": {"min_sentences": 1}}
    notes = {one.stage: one.notes for one in Run.open(curate(folder, "run")).tune(changes=limits)}
    said = "the originals went when web-redact was sealed: web-gopher cannot run here again; curate "
    assert [note for note in notes["web-gopher"] if "originals" in note] == [
        said + "a recipe with other limits into a new folder, from the archives"
    ]
    assert not any("originals" in note for note in notes["web-late"])
    kept = Run.open(curate(folder, "kept", privacy="")).tune(changes=limits)
    assert not any("originals" in note for one in kept for note in one.notes)
