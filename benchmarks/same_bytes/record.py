"""Runs the recipes and the commands, and gathers the digests of all that they wrote and printed."""

import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from benchmarks.same_bytes import digests, reports
from benchmarks.same_bytes.inputs import make_inputs
from benchmarks.same_bytes.recipes import all_recipes
from curation.core.errors import WinnowError
from pipelines import api

NEEDS = {"ccnet": "gopher"}  # recipe -> that on whose text its tokenizers learn
LANGUAGES = {"en": "general", "de": "multilingual"}  # of `ccnet`, and the source from which its models learn
CORES = 2
DIGESTS = "digests.json"
# Always the same, because part files and addresses hold the absolute paths of the input.
WORKPLACE = Path(tempfile.gettempdir(), "winnow_same_bytes")

Say = Callable[[str], None]


def record(folder: Path, archives: Sequence[Path], only: Collection[str], say: Say) -> None:
    """Works in WORKPLACE, which moves to `folder` in the end; neither may exist. There `input` has the files, which are
    made, `runs` a run of each recipe, and DIGESTS what was found, written after each run.

    `only` names the recipes; none are all. A recipe that cannot run has its error in the place of digests.
    """
    folder = folder.absolute()
    archives = [archive.absolute() for archive in archives]
    say("making the input")
    found: dict[str, Any] = {"input": make_inputs(WORKPLACE / "input", archives), "runs": {}}
    os.chdir(WORKPLACE / "input")
    found["components"] = reports.of_components()
    recipes = all_recipes()
    for name in _in_order(only or recipes):
        start = time.monotonic()
        models = _train_models(WORKPLACE / "runs" / NEEDS[name]) if name in NEEDS else {}
        result = _run(WORKPLACE / "runs" / name, *recipes[name])
        found["runs"][name] = result | {"models": models}
        outcome = f"left out: {result['error']}" if "error" in result else "recorded"
        say(f"{name}: {outcome} ({time.monotonic() - start:.0f} s)")
        (WORKPLACE / DIGESTS).write_text(json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    shutil.move(WORKPLACE, folder)


def _in_order(chosen: Collection[str]) -> list[str]:
    """The recipes by name, those that others need first."""
    needed = {NEEDS[name] for name in chosen if name in NEEDS}
    return sorted(needed) + sorted(set(chosen) - needed)


def _run(run: Path, recipe: str, inputs: Sequence[str]) -> dict[str, Any]:
    before = reports.plan(recipe, inputs, run)
    try:
        api.curate(recipe, run, inputs=inputs, cpus=CORES)
    except WinnowError as error:
        return {"error": str(error)}
    printed = {"plan": before, "plan afterwards": reports.plan(recipe, inputs, run), **reports.of_run(run)}
    return {"stages": digests.stages(run), "reports": printed, "addresses": digests.addresses(run)}


def _train_models(run: Path) -> dict[str, Any]:
    """The models of `ccnet`, by the commands that its recipe names, where it looks for them; what they printed."""
    printed = {}
    for language, source in LANGUAGES.items():
        pieces = f"{language}.sp.model"
        size = "--model", "sentencepiece", "--vocab-size", "600"
        tokenizer = reports.printed("tokenizer", "train", str(run), "--output", pieces, *size)
        files = "--files", f"{source}.jsonl", "--output", language
        settings = f"pieces={pieces}", "normalization=ccnet", "discounts=[0.5, 1, 1.5]"
        options = [word for setting in settings for word in ("--set", setting)]
        model = reports.printed("model", "train", "ngram_model", *files, *options)
        shutil.copyfile(f"{language}/model.arpa", f"{language}.arpa.bin")
        printed[language] = digests.without_names([tokenizer, model], digests.names_of(run))
    return printed
