"""What commands print as JSON, each called in this process as the command line calls it."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from benchmarks.same_bytes.digests import first_document, names_of, stage_names, without_names
from pipelines.cli import app

OF_A_RUN = {
    "funnel": ("funnel",),
    "tune": ("tune",),
    "tune to a quantile": ("tune", "--quantile", "0.9"),
    "duplicates": ("duplicates",),
    "audit": ("audit", "--by", "domain"),
    "verify": ("verify", "--deep"),
}


def printed(*arguments: str) -> Any:
    """The JSON value that `winnow ARGUMENTS --json` prints, verbs by their names, or the error in its place."""
    result = CliRunner().invoke(app, [*arguments, "--json"])
    if result.exception is not None:
        return {"error": f"{type(result.exception).__name__}: {result.exception}"}
    return json.loads(result.stdout, object_hook=_with_names_of_verbs)


def _with_names_of_verbs(value: dict[str, Any]) -> dict[str, Any]:
    verb = value.get("verb")
    return value | {"verb": verb["name"]} if isinstance(verb, dict) else value


def plan(recipe: str, inputs: Sequence[str], run: Path) -> Any:
    """What `winnow plan` prints, without addresses and the folders that are named after them."""
    options = [word for value in inputs for word in ("--input", value)]
    stages = printed("plan", recipe, *options, "--output", str(run))
    known = names_of(run)
    if isinstance(stages, dict):
        return without_names(stages, known)
    return [without_names(stage, known) | {"address": "", "folder": ""} for stage in stages]


def of_run(run: Path) -> dict[str, Any]:
    """Report -> what the command prints of the run; `tune` by language of each filter stage, `why` of one document."""
    names = names_of(run)
    calls = {name: (command, str(run), *options) for name, (command, *options) in OF_A_RUN.items()}
    for stage in stage_names(run, "filter"):
        calls[f"tune {stage} by language"] = "tune", str(run), stage, "--by-language"
    for document in first_document(run, "tokenize"):
        calls["why"] = "why", str(run), "--doc-id", document
    return {name: without_names(printed(*arguments), names) for name, arguments in calls.items()}


def of_components() -> dict[str, Any]:
    """`list`, and what `winnow describe` prints of each component."""
    listed = printed("list")
    return {"list": listed} | {row["key"]: printed("describe", row["key"]) for row in listed}
