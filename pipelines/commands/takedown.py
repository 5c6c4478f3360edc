"""The command `winnow takedown`, which `api.takedown` does."""

from typing import Annotated

import typer

from curation.core.errors import UserError
from pipelines import api
from pipelines.commands.ask import RunFolder, TrainingFolders
from pipelines.render import lineage
from pipelines.render.console import Json, answer


def takedown(
    run: RunFolder,
    urls: Annotated[str | None, typer.Option(metavar="FILE", help="File of addresses, one per line.")] = None,
    doc_ids: Annotated[
        str | None, typer.Option("--doc-ids", metavar="FILE", help="File of doc_ids, one per line.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
    training: TrainingFolders = None,
    as_json: Json = False,
) -> None:
    """Erase documents and their copies from every stage and token shard, and keep them out of later runs."""
    if (urls is None) == (doc_ids is None):
        raise UserError("say which documents: either --urls FILE or --doc-ids FILE, one per line")
    act = api.plan_takedown if dry_run else api.takedown
    outcome = act(run, urls=urls, doc_ids=doc_ids, trainings=training or ())
    answer(outcome, lambda console, shown: lineage.takedown(console, shown, dry_run=dry_run), as_json=as_json)
