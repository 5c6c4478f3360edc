"""The commands that only read: most of them a run, `list` and `describe` the components."""

import re
from typing import Annotated

import typer

from curation.account.run import Run
from curation.core.errors import UserError
from pipelines.render import lineage, tables
from pipelines.render.console import Json, answer
from pipelines.render.duplicates import stages as show_duplicates
from pipelines.render.funnel import funnel as show_funnel

TrainingFolders = Annotated[
    list[str] | None,
    typer.Option("--training", metavar="FOLDER", help="A training run that is not beside RUN; may be repeated."),
]
RunFolder = Annotated[str, typer.Argument(metavar="RUN", help="Folder that `winnow curate` wrote.")]


def funnel(run: RunFolder, as_json: Json = False) -> None:
    """What each stage read, kept and dropped, and why."""
    answer(Run.open(run).funnel(), show_funnel, as_json=as_json)


def why(
    run: RunFolder,
    url: Annotated[str | None, typer.Option(help="The document's URL.")] = None,
    doc_id: Annotated[str | None, typer.Option(help="The document's id, 32 hex digits.")] = None,
    record_id: Annotated[
        str | None, typer.Option("--id", help="Its id in the data set, where the recipe names a field as `id`.")
    ] = None,
    training: TrainingFolders = None,
    as_json: Json = False,
) -> None:
    """Every decision about one document, with values and limits; then its token rows, and the steps that saw them."""
    if sum(value is not None for value in (url, doc_id, record_id)) != 1:
        raise UserError("say which document: give one of --url URL, --doc-id ID and --id ID")
    if doc_id is not None and not re.fullmatch("[0-9a-f]{32}", doc_id):
        raise UserError(
            f"{doc_id!r} is not a doc_id: expected 32 hex digits (0-9, a-f), as `winnow show {run} STAGE` prints under "
            "each URL; to ask by address, use --url, and by the data set's own id --id"
        )
    stories = Run.open(run).why(url=url, doc_id=doc_id, record_id=record_id, trainings=training or ())
    answer(stories, lineage.stories, as_json=as_json)


def trace(
    run: Annotated[str, typer.Option("--run", metavar="TRAIN_RUN", help="Folder that `winnow train` wrote.")],
    step: Annotated[int, typer.Option(help="Counted from 0; the metrics report it as step + 1.")],
    data: Annotated[str | None, typer.Option(help="Where the run's data is now, if it was moved.")] = None,
    as_json: Json = False,
) -> None:
    """The documents in the global batch of one training step, without replaying the training."""
    from curation.account.lineage.trace import trace as read_trace

    answer(read_trace(run, step, data=data), lineage.trace, as_json=as_json)


def blame(
    run: Annotated[str, typer.Argument(metavar="TRAIN_RUN", help="Folder that `winnow train` wrote.")],
    step: Annotated[int, typer.Option(help="Counted from 0; the metrics report it as step + 1.")],
    data: Annotated[str | None, typer.Option(help="Where the run's data is now, if it was moved.")] = None,
    as_json: Json = False,
) -> None:
    """The documents of a step at which the loss jumped, with what each stage measured of them, the odd ones first."""
    from curation.account.lineage.blame import blame as find_blame

    answer(find_blame(run, step, data=data), lineage.blame, as_json=as_json)


def show(
    run: RunFolder,
    stage: Annotated[str, typer.Argument(metavar="STAGE", help="Stage name or folder, as `winnow funnel` prints it.")],
    reason: Annotated[str | None, typer.Option(help="Only rows whose drop reason begins like this.")] = None,
    kept: Annotated[bool, typer.Option("--kept", help="Only rows that the stage kept.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="Rows at most.")] = 10,
    as_json: Json = False,
) -> None:
    """Rows of one stage: url, reason, signals and the beginning of the text."""
    if kept and reason is not None:
        raise UserError("give either --kept or --reason")
    answer(Run.open(run).show(stage, reason=reason, kept=kept, limit=limit), tables.rows, as_json=as_json)


def files(
    run: RunFolder,
    stage: Annotated[
        str | None, typer.Argument(metavar="STAGE", help="Stage name or folder; default: every stage of documents.")
    ] = None,
    as_sql: Annotated[
        bool, typer.Option("--sql", help="Print a list for SQL, such as for DuckDB's read_parquet.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Globs of the run's Parquet files, without the stages that earlier recipes left in its folder."""
    if as_sql and as_json:
        raise UserError("give either --sql or --json")
    globs = Run.open(run).files(stage)
    answer(globs, lambda _, lines: typer.echo(sql_list(lines) if as_sql else "\n".join(lines)), as_json=as_json)


def sql_list(values: list[str]) -> str:
    """The values as a list in SQL."""
    return "[" + ", ".join("'" + value.replace("'", "''") + "'" for value in values) + "]"


def duplicates(run: RunFolder, as_json: Json = False) -> None:
    """What deduplication removed: clusters by size, the largest with samples, the share of each source and domain."""
    answer(Run.open(run).duplicates(), show_duplicates, as_json=as_json)


def tune(
    run: RunFolder,
    stage: Annotated[
        str | None, typer.Argument(metavar="STAGE", help="A filter stage; default: those that --set names, or all.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="KEY.OPTION=VALUE, e.g. gopher_quality.min_words=30; may be repeated."),
    ] = None,
    by_language: Annotated[bool, typer.Option("--by-language", help="Show and set limits for each language.")] = False,
    quantile: Annotated[
        float | None, typer.Option(help="Set each limit so that it keeps this share of the documents, e.g. 0.99.")
    ] = None,
    sigma: Annotated[
        float | None, typer.Option(help="Set each limit this many standard deviations from the mean.")
    ] = None,
    fit_languages: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Write a kit of limits and stop words per language, for `by_language`."),
    ] = None,
    as_json: Json = False,
) -> None:
    """What other limits would win and lose, from the stored signals alone; reads no text, changes nothing.

    With --fit-languages it reads text too, and each limit that it writes keeps 0.99 of a language, or --quantile.
    """
    from curation.account.tune.limits import parse_changes
    from pipelines.render.tune import fitted_kits, tunings

    if fit_languages is not None:
        if settings or by_language or sigma is not None:
            raise UserError("--fit-languages goes with --quantile alone")
        answer(Run.open(run).fit_languages(fit_languages, stage, quantile=quantile), fitted_kits, as_json=as_json)
        return
    limits = {"changes": parse_changes(settings or []), "quantile": quantile, "sigma": sigma}
    answer(Run.open(run).tune(stage, by_language=by_language, **limits), tunings, as_json=as_json)


def list_components(as_json: Json = False) -> None:
    """Every component that a recipe or a training config can name, with one sentence each."""
    from pipelines.component_docs import components

    answer(components(), tables.components, as_json=as_json)


def schema() -> None:
    """The JSON Schema of recipes, for editors: winnow schema > recipe.schema.json, beside the recipe."""
    from pipelines.recipe_schema import schema_text

    typer.echo(schema_text(), nl=False)


def describe(
    key: Annotated[str, typer.Argument(metavar="KEY", help="As `winnow list` prints it, e.g. gopher_quality.")],
    as_json: Json = False,
) -> None:
    """What a component does, its options with defaults and units, and the limits that it sets."""
    from pipelines.component_docs import describe as read_description

    answer(read_description(key), tables.descriptions, as_json=as_json)
