"""The command `winnow export`: a run's text and its token shards in the files of other tools and trainers."""

from typing import Annotated, Any, Literal

import typer

from curation.core.errors import UserError
from pipelines.render import export as render
from pipelines.render.console import Json, err, out, print_json

Format = Literal["text", "nanochat", "bin", "megatron", "parquet"]
OPTIONS = {  # of each format
    "text": ("as", "stage", "columns"),
    "nanochat": ("stage", "validation"),
    "bin": ("source",),
    "megatron": ("source",),
    "parquet": ("rows",),
}


def export(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Run folder; for tokens also a mix stage's folder in it.")],
    form: Annotated[
        Format,
        typer.Option(
            "--format",
            help="text: kept documents; nanochat: kept text in nanochat's shards; bin: tokens for nanoGPT; megatron: "
            "documents' tokens and the mix's weights for Megatron-Core; parquet: the mix's packed rows for datasets.",
        ),
    ],
    output: Annotated[str, typer.Option("--output", help="New folder; for text, nanochat and bin it may be a URI.")],
    as_files: Annotated[
        Literal["parquet", "jsonl", "jsonl.gz", "jsonl.zst", "datasets"] | None,
        typer.Option("--as", help="Files of text: Parquet (default), JSON lines, or a folder for load_dataset."),
    ] = None,
    stage: Annotated[
        str | None, typer.Option("--stage", help="Stage whose kept text is written; default: the last one.")
    ] = None,
    columns: Annotated[
        str | None, typer.Option("--columns", help="Columns of text, separated by commas: url,text,language.label.")
    ] = None,
    validation: Annotated[
        float | None,
        typer.Option("--validation", help="Share of nanochat's validation file where tokenize drew none; 0.005."),
    ] = None,
    source: Annotated[
        list[str] | None, typer.Option("--source", help="Only this source of the mix (bin, megatron); may be repeated.")
    ] = None,
    rows: Annotated[int | None, typer.Option("--rows", min=1, help="Training rows at most (parquet).")] = None,
    as_json: Json = False,
) -> None:
    """Write a run's text or tokens in the files that other tools and trainers read."""
    options: dict[str, Any] = {"as": as_files, "stage": stage, "columns": columns, "validation": validation}
    options |= {"source": source or None, "rows": rows}
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in OPTIONS[form]:
            forms = " and ".join(one for one, own in OPTIONS.items() if name in own)
            raise UserError(f"--{name} is an option of --format {forms}, not of {form}; leave it out")
    result = _export(run, form, output, given)
    if as_json:
        print_json(result)
    else:
        render.export(out, err, form, result)


def _export(run: str, form: Format, output: str, given: dict[str, Any]) -> Any:
    """What was written; imports only what the format needs."""
    if form in ("text", "nanochat"):
        return _export_text(run, form, output, given)
    from curation.tokens.export import megatron, nanogpt, parquet

    if form == "parquet":
        return parquet.export_parquet(run, output, **given)
    write = megatron.export_megatron if form == "megatron" else nanogpt.export_nanogpt
    return write(run, output, leaves=given.get("source", ()))


def _export_text(run: str, form: Format, output: str, given: dict[str, Any]) -> Any:
    from curation.account.run import Run
    from curation.account.texts.export import export_text
    from curation.account.texts.nanochat import export_nanochat

    opened = Run.open(run)
    if form == "nanochat":
        return export_nanochat(opened, output, **given)
    if "columns" in given:
        given["columns"] = [name.strip() for name in given["columns"].split(",")]
    return export_text(opened, output, form=given.pop("as", "parquet"), **given)
