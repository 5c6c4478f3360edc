"""The commands that change nothing: most look into a run; list and describe look into the components."""

import re
from typing import Annotated

import typer

from curation.account.run import Run
from curation.core.errors import UserError
from pipelines.render import lineage, mix, tables
from pipelines.render.console import Json, out, print_json
from pipelines.render.duplicates import stages as show_duplicates

TrainingFolders = Annotated[
    list[str] | None,
    typer.Option(
        "--training", metavar="FOLDER", help="A training run that does not lie beside RUN; may be given again."
    ),
]
RunFolder = Annotated[str, typer.Argument(metavar="RUN", help="Folder that `winnow curate` wrote.")]


def funnel(run: RunFolder, as_json: Json = False) -> None:
    """What each stage read, kept and dropped, and why."""
    found = Run.open(run).funnel()
    if as_json:
        print_json(found)
    else:
        mix.funnel(out, found)


def why(
    run: RunFolder,
    url: Annotated[str | None, typer.Option(help="The document's URL.")] = None,
    doc_id: Annotated[str | None, typer.Option(help="The document's id, 32 hex digits.")] = None,
    training: TrainingFolders = None,
    as_json: Json = False,
) -> None:
    """Every decision about one document, with values and limits; then its token rows, and the steps that saw them."""
    if (url is None) == (doc_id is None):
        raise UserError("say which document: either --url URL or --doc-id ID")
    if doc_id is not None and not re.fullmatch("[0-9a-f]{32}", doc_id):
        raise UserError(
            f"{doc_id!r} is no doc_id: 32 of the digits 0-9 and a-f, as `winnow show {run} STAGE` prints under each "
            "URL; to ask by address, use --url"
        )
    stories = Run.open(run).why(url=url, doc_id=doc_id, trainings=training or ())
    if as_json:
        print_json(stories)
    else:
        lineage.stories(out, stories)


def trace(
    run: Annotated[str, typer.Option("--run", metavar="TRAIN_RUN", help="Folder that `winnow train` wrote.")],
    step: Annotated[int, typer.Option(help="Counted from 0; the metrics call the update after it step + 1.")],
    data: Annotated[str | None, typer.Option(help="Where the run's data is now, if it was moved.")] = None,
    as_json: Json = False,
) -> None:
    """The documents in the global batch of one training step, without replaying the training."""
    from curation.account.lineage.trace import trace as read_trace

    found = read_trace(run, step, data=data)
    if as_json:
        print_json(found)
    else:
        lineage.trace(out, found)


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
    rows = Run.open(run).show(stage, reason=reason, limit=limit)
    if as_json:
        print_json(rows)
    else:
        tables.rows(out, rows)


def files(
    run: RunFolder,
    stage: Annotated[
        str | None, typer.Argument(metavar="STAGE", help="Stage name or folder; default: every stage of documents.")
    ] = None,
    as_sql: Annotated[
        bool, typer.Option("--sql", help="Print a list for SQL, as DuckDB's read_parquet takes it.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Globs of the Parquet files of the run's own stages, without those that an earlier recipe left in the folder."""
    from curation.account.run.files import sql_list

    found = Run.open(run).files(stage)
    if as_sql and as_json:
        raise UserError("give either --sql or --json")
    if as_json:
        print_json(found)
    else:
        typer.echo(sql_list(found) if as_sql else "\n".join(found))


def duplicates(run: RunFolder, as_json: Json = False) -> None:
    """What deduplication removed: clusters by size, the largest with samples, the share of each source and domain."""
    found = Run.open(run).duplicates()
    if as_json:
        print_json(found)
    else:
        show_duplicates(out, found)


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
    from curation.account.tune.limits import parse_changes
    from pipelines.render.tune import tunings as show_tunings

    changes = parse_changes(settings or [])
    tunings = Run.open(run).tune(stage, changes=changes, quantile=quantile, sigma=sigma, by_language=by_language)
    if as_json:
        print_json(tunings)
    else:
        show_tunings(out, tunings)


def list_components(as_json: Json = False) -> None:
    """Everything that a recipe can name: sources, extractors, filters, …, each with one sentence."""
    from pipelines.component_docs import components

    listed = components()
    if as_json:
        print_json(listed)
    else:
        tables.components(out, listed)


def describe(
    key: Annotated[str, typer.Argument(metavar="KEY", help="As `winnow list` prints it, e.g. gopher_quality.")],
    as_json: Json = False,
) -> None:
    """What a component does, its options with defaults and units, and the limits that it sets."""
    from pipelines.component_docs import describe as read_description

    found = read_description(key)
    if as_json:
        print_json(found)
    else:
        tables.descriptions(out, found)
