"""The commands `winnow evalsets`: what a run's text holds of evaluation sets, and of its own validation documents."""

from typing import Annotated

import typer

from curation.account.run import Run
from curation.core import storage
from curation.core.errors import UserError
from pipelines.commands.ask import RunFolder
from pipelines.render import evalsets as render
from pipelines.render.console import Json, answer

app = typer.Typer(
    help="Find evaluation sets in a run's text, and near-duplicates of its validation documents.", no_args_is_help=True
)


@app.command()
def report(
    run: RunFolder,
    html: Annotated[str | None, typer.Option("--html", metavar="FILE", help="Also write a page to FILE.")] = None,
    as_json: Json = False,
) -> None:
    """Report which items of each evaluation set the run contains, before and after the stages."""
    if html is not None and not html.endswith((".html", ".htm")):
        raise UserError(f"--html {html}: a page is written; use a name that ends in .html")
    found = Run.open(run).evalsets_report()
    if html is not None:
        from pipelines.render.evalsets_page import page

        storage.replace_bytes(html, page(found).encode())
    answer(found, lambda console, value: render.report(console, value, html), as_json=as_json)


@app.command()
def seen(
    run: RunFolder,
    item: Annotated[
        str, typer.Option("--item", metavar="TEXT|ID", help="A text, or an item's id as the report has it: SET/ID.")
    ],
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="MODEL", help="Only what this training run has read up to its last step."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Find an item in the training data: documents, what became of them, token rows and training steps."""
    answer(Run.open(run).evalsets_seen(item, model=model), render.seen, as_json=as_json)


@app.command()
def validation(run: RunFolder, as_json: Json = False) -> None:
    """Find near-duplicates of the validation documents among the training documents."""
    answer(Run.open(run).evalsets_validation(), render.validation, as_json=as_json)
