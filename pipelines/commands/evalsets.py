"""The commands `winnow evalsets`: what a run's text holds of evaluation sets, and of its own validation documents."""

from typing import Annotated

import typer

from curation.account.run import Run
from curation.core import storage
from curation.core.errors import UserError
from pipelines.commands.ask import RunFolder, TrainingFolders
from pipelines.render import evalsets as render
from pipelines.render.console import Json, answer

app = typer.Typer(
    help="What a run's text holds of evaluation sets, and of its own validation documents.", no_args_is_help=True
)


@app.command()
def report(
    run: RunFolder,
    html: Annotated[str | None, typer.Option("--html", metavar="FILE", help="Also write a page to FILE.")] = None,
    as_json: Json = False,
) -> None:
    """Items of each evaluation set that documents hold, before and after the stages, and the worst documents."""
    if html is not None and not html.endswith((".html", ".htm")):
        raise UserError(f"--html {html}: a page is written; use a name that ends in .html")
    found = Run.open(run).evalsets_report()
    if html is not None:
        from pipelines.render.evalsets_page import page

        storage.write_bytes(html, page(found).encode())
    answer(found, lambda console, value: render.report(console, value, html), as_json=as_json)


@app.command()
def seen(
    run: RunFolder,
    item: Annotated[
        str, typer.Option("--item", metavar="TEXT|ID", help="A text, or an item's id as the report has it: SET/ID.")
    ],
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="TRAIN_RUN", help="Only what this training run has read up to its last step."),
    ] = None,
    training: TrainingFolders = None,
    as_json: Json = False,
) -> None:
    """Was an item in the training data: documents, what became of them, token rows and training steps."""
    if model is not None and training:
        raise UserError("give either --model, the one that is asked about, or --training")
    answer(Run.open(run).evalsets_seen(item, model=model, trainings=training or ()), render.seen, as_json=as_json)


@app.command()
def validation(run: RunFolder, as_json: Json = False) -> None:
    """Near copies of the run's own validation documents among its training documents."""
    answer(Run.open(run).evalsets_validation(), render.validation, as_json=as_json)
