"""The commands that look into a run and change nothing: funnel, why, show, tune."""

from typing import Annotated

import typer

from curation.core.errors import UserError
from pipelines import render, tune_render
from pipelines.console import Json, out, print_json

RunFolder = Annotated[str, typer.Argument(metavar="RUN", help="Folder that `winnow curate` wrote.")]


def funnel(run: RunFolder, as_json: Json = False) -> None:
    """What each stage read, kept and dropped, and why."""
    from curation.account.funnel import funnel as read_funnel

    found = read_funnel(run)
    if as_json:
        print_json(found)
    else:
        render.funnel(out, found)


def why(
    run: RunFolder,
    url: Annotated[str | None, typer.Option(help="The document's URL.")] = None,
    doc_id: Annotated[str | None, typer.Option(help="The document's id, 32 hex digits.")] = None,
    as_json: Json = False,
) -> None:
    """Every decision about one document, with the values measured and the limits set."""
    from curation.account.why import why as read_why

    if (url is None) == (doc_id is None):
        raise UserError("say which document: either --url URL or --doc-id ID")
    stories = read_why(run, url=url, doc_id=doc_id)
    if as_json:
        print_json(stories)
    else:
        render.stories(out, stories)


def show(
    run: RunFolder,
    stage: Annotated[str, typer.Argument(metavar="STAGE", help="Stage name or folder, as `winnow funnel` prints it.")],
    reason: Annotated[
        str | None, typer.Option(help='Only rows dropped for this reason (or its beginning), or "kept".')
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Rows at most.")] = 10,
    as_json: Json = False,
) -> None:
    """Rows of one stage: url, reason, signals and the beginning of the text."""
    from curation.account.show import show as read_rows

    rows = read_rows(run, stage, reason=reason, limit=limit)
    if as_json:
        print_json(rows)
    else:
        render.rows(out, rows)


def tune(
    run: RunFolder,
    stage: Annotated[
        str | None, typer.Argument(metavar="STAGE", help="A filter stage; default: those that --set names, or all.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="KEY.OPTION=VALUE, e.g. gopher_quality.min_words=30; may be given again."),
    ] = None,
    by_language: Annotated[bool, typer.Option("--by-language", help="Tell languages apart.")] = False,
    quantile: Annotated[
        float | None, typer.Option(help="Set every limit so that it keeps this share of the documents, e.g. 0.99.")
    ] = None,
    sigma: Annotated[
        float | None, typer.Option(help="Set every limit this many standard deviations from the mean.")
    ] = None,
    as_json: Json = False,
) -> None:
    """What other limits would win and lose, from the stored signals alone; reads no text, changes nothing."""
    from curation.account.limits import parse_changes
    from curation.account.tune import tune as try_limits

    changes = parse_changes(settings or [])
    tunings = try_limits(run, stage, changes=changes, quantile=quantile, sigma=sigma, by_language=by_language)
    if as_json:
        print_json(tunings)
    else:
        tune_render.tunings(out, tunings)
