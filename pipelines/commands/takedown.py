"""The command `winnow takedown`, which `api.takedown` does."""

from typing import Annotated

import typer

from curation.core.errors import UserError
from pipelines import api
from pipelines.commands.ask import OtherModels, RunFolder
from pipelines.render import lineage
from pipelines.render.console import Json, answer


def takedown(
    run: RunFolder,
    urls: Annotated[str | None, typer.Option(metavar="FILE", help="File of URLs, one per line.")] = None,
    doc_ids: Annotated[
        str | None, typer.Option("--doc-ids", metavar="FILE", help="File of doc_ids, one per line.")
    ] = None,
    other: Annotated[
        str | None, typer.Option("--from", metavar="RUN", help="Run whose takedowns are to be made here too.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
    model: OtherModels = None,
    as_json: Json = False,
) -> None:
    """Erase documents and their copies from every stage and token shard, and keep them out of later runs."""
    if [urls, doc_ids, other].count(None) != 2:
        raise UserError("say which documents: either --urls FILE or --doc-ids FILE, one per line, or --from RUN")
    act = api.plan_takedown if dry_run else api.takedown
    outcome = act(run, urls=urls, doc_ids=doc_ids, other=other, trainings=model or ())
    answer(outcome, lambda console, shown: lineage.takedown(console, shown, dry_run=dry_run), as_json=as_json)
