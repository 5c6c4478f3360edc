"""The commands that only read: most of them a run, `list` and `describe` the components."""

import re
from functools import partial
from typing import Annotated

import typer

from curation.account.run import Run
from curation.core.errors import UserError
from pipelines.render import lineage, tables
from pipelines.render.console import Json, answer
from pipelines.render.duplicates import stages as show_duplicates
from pipelines.render.funnel import funnel as show_funnel

OtherModels = Annotated[
    list[str] | None,
    typer.Option("--model", metavar="MODEL", help="A training run whose folder is not beside RUN; may be repeated."),
]
ModelFolder = Annotated[str, typer.Argument(metavar="MODEL", help="Folder that `winnow train` wrote.")]
RunFolder = Annotated[str, typer.Argument(metavar="RUN", help="Folder that `winnow curate` wrote.")]


def funnel(run: RunFolder, as_json: Json = False) -> None:
    """Show what each stage read, kept and dropped, and the reasons."""
    answer(Run.open(run).funnel(), show_funnel, as_json=as_json)


def why(
    run: RunFolder,
    url: Annotated[str | None, typer.Option(help="The document's URL.")] = None,
    doc_id: Annotated[str | None, typer.Option(help="The document's doc_id, 32 hex digits.")] = None,
    record_id: Annotated[
        str | None, typer.Option("--id", help="Its id in the original data set, if the recipe names a field as `id`.")
    ] = None,
    model: OtherModels = None,
    as_json: Json = False,
) -> None:
    """Explain one document: every decision with values and limits, its token rows, the training steps that saw them."""
    if sum(value is not None for value in (url, doc_id, record_id)) != 1:
        raise UserError("say which document: give one of --url URL, --doc-id ID and --id ID")
    if doc_id is not None and not re.fullmatch("[0-9a-f]{32}", doc_id):
        raise UserError(
            f"{doc_id!r} is not a doc_id: expected 32 hex digits (0-9, a-f), as `winnow show {run} STAGE` prints under "
            "each URL; to ask by address, use --url, and by the data set's own id --id"
        )
    stories = Run.open(run).why(url=url, doc_id=doc_id, record_id=record_id, trainings=model or ())
    answer(stories, lineage.stories, as_json=as_json)


def trace(
    model: ModelFolder,
    step: Annotated[int, typer.Option(help="Training step, counted from 0; metrics.jsonl calls it step + 1.")],
    data: Annotated[
        str | None, typer.Option(help="Folder of the run that the model was trained on, if it was moved.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the documents in the global batch of one training step."""
    from curation.account.lineage.trace import trace as read_trace

    answer(read_trace(model, step, data=data), lineage.trace, as_json=as_json)


def blame(
    model: ModelFolder,
    step: Annotated[int, typer.Option(help="Training step, counted from 0; metrics.jsonl calls it step + 1.")],
    data: Annotated[
        str | None, typer.Option(help="Folder of the run that the model was trained on, if it was moved.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Rank the documents of a training step whose loss jumped by how unusual their signals are."""
    from curation.account.lineage.blame import blame as find_blame

    answer(find_blame(model, step, data=data), lineage.blame, as_json=as_json)


def show(
    run: RunFolder,
    stage: Annotated[str, typer.Argument(metavar="STAGE", help="Stage name or folder, as `winnow funnel` prints it.")],
    reason: Annotated[str | None, typer.Option(help="Only rows whose drop reason begins like this.")] = None,
    kept: Annotated[bool, typer.Option("--kept", help="Only rows that the stage kept.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Rows at most, the first ones; default: 10.")] = None,
    random: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Rows drawn at random from all parts, the same each time.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Another seed draws other rows; default: 0.")] = 0,
    every: Annotated[bool, typer.Option("--all", help="Show all signals, not only the limit that decided.")] = False,
    as_json: Json = False,
) -> None:
    """Rows of one stage: url, reason, the limit that decided, and the beginning of the text."""
    if kept and reason is not None:
        raise UserError("give either --kept or --reason")
    if limit is not None and random is not None:
        raise UserError("give either --limit, for the first rows, or --random")
    found = Run.open(run).show(stage, reason=reason, kept=kept, limit=limit or 10, random=random, seed=seed)
    answer(found, partial(tables.rows, every=every), as_json=as_json)


def files(
    run: RunFolder,
    stage: Annotated[
        str | None, typer.Argument(metavar="STAGE", help="Stage name or folder; default: every stage of documents.")
    ] = None,
    as_sql: Annotated[
        bool, typer.Option("--sql", help="Print them as an SQL list, as DuckDB's read_parquet takes it.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Print globs of the run's Parquet files, for DuckDB, pandas and others."""
    if as_sql and as_json:
        raise UserError("give either --sql or --json")
    globs = Run.open(run).files(stage)
    answer(globs, lambda _, lines: typer.echo(sql_list(lines) if as_sql else "\n".join(lines)), as_json=as_json)


def sql_list(values: list[str]) -> str:
    """The values as a list in SQL."""
    return "[" + ", ".join("'" + value.replace("'", "''") + "'" for value in values) + "]"


def duplicates(run: RunFolder, as_json: Json = False) -> None:
    """Show what deduplication removed: clusters by size, samples of the largest, shares by source and host."""
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
    """Show how many documents other limits would keep or drop, from the stored signals. Changes nothing.

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
    """List every component that a recipe or a training config can name, with one sentence each."""
    from pipelines.component_docs import components
    from pipelines.render import descriptions

    answer(components(), descriptions.components, as_json=as_json)


def schema(
    command: Annotated[
        list[str] | None, typer.Argument(metavar="COMMAND", help="A command with --json, such as `evalsets report`.")
    ] = None,
) -> None:
    """Print the JSON Schema of recipes, for editors, or of what a command prints with --json.

    For an editor: winnow schema > recipe.schema.json, beside the recipe. For a script: winnow schema funnel.
    """
    if command:
        from pipelines.answers.answers import answer_schema_text

        typer.echo(answer_schema_text(" ".join(command)), nl=False)
        return
    from pipelines.recipe_schema import schema_text

    typer.echo(schema_text(), nl=False)


def describe(
    key: Annotated[
        str,
        typer.Argument(
            metavar="KEY", help="Component, or key of a recipe or training config: gopher_quality, sources, steps."
        ),
    ],
    as_json: Json = False,
) -> None:
    """Describe a component, with options, units and limits, or a key of a recipe or of a training config."""
    from pipelines.render.descriptions import descriptions
    from pipelines.setting_docs import describe as read_description

    answer(read_description(key), descriptions, as_json=as_json)
