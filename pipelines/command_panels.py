"""The commands of `pipelines.commands`, in the order and under the headings of `winnow --help`."""

from collections.abc import Callable, Mapping
from typing import Any

import typer

from pipelines.commands import (
    annotate,
    ask,
    audit,
    card,
    compare,
    curves,
    evalsets,
    evaluate,
    export,
    fetch,
    init,
    inspect,
    jobs,
    model,
    plan_training,
    release,
    report,
    run_files,
    scaling,
    sql,
    takedown,
    tokenizer,
    train,
)

DATA = "Prepare data"
LOOK = "Look at a run"
WORDS = "Recipes"
MODELS = "Train models"
CLUSTER = "Use a Ray cluster"
# Heading -> name -> command, or the group of commands.
PANELS: Mapping[str, Mapping[str, Callable[..., Any] | typer.Typer]] = {
    DATA: {
        "init": init.init,
        "inspect": inspect.inspect,
        "fetch": fetch.app,
        "export": export.export,
        "takedown": takedown.takedown,
        "annotate": annotate.annotate,
        "tokenizer": tokenizer.app,
        "model": model.app,
    },
    LOOK: {
        "status": run_files.status,
        "watch": run_files.watch,
        "verify": run_files.verify,
        "funnel": ask.funnel,
        "report": report.report,
        "show": ask.show,
        "why": ask.why,
        "sql": sql.sql,
        "files": ask.files,
        "duplicates": ask.duplicates,
        "tune": ask.tune,
        "audit": audit.audit,
        "compare": compare.compare,
        "card": card.card,
        "evalsets": evalsets.app,
    },
    WORDS: {"list": ask.list_components, "describe": ask.describe, "schema": ask.schema},
    MODELS: {
        "train": train.train,
        "curves": curves.curves,
        "evaluate": evaluate.evaluate,
        "average": evaluate.average,
        "trace": ask.trace,
        "blame": ask.blame,
        "release": release.release,
        "plan-training": plan_training.plan_training,
        "scaling": scaling.app,
    },
    CLUSTER: {"submit": jobs.submit, "job": jobs.app},
}


def add_commands(app: typer.Typer) -> None:
    """Adds them all."""
    for panel, commands in PANELS.items():
        for name, command in commands.items():
            if isinstance(command, typer.Typer):
                app.add_typer(command, name=name, rich_help_panel=panel)
            else:
                app.command(name, rich_help_panel=panel)(command)
