"""The command `winnow export`: token shards in the formats of other trainers."""

from typing import Annotated, Literal

import typer

from curation.core.errors import UserError
from pipelines.render.console import Json, err, out, print_json, say


def export(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Run folder, or a mix stage's folder in it.")],
    form: Annotated[
        Literal["megatron", "parquet"],
        typer.Option(
            "--format", help="megatron: documents, a .bin and .idx per source; parquet: packed rows for datasets."
        ),
    ],
    output: Annotated[str, typer.Option("--output", help="New folder on a local disk.")],
    source: Annotated[
        list[str] | None, typer.Option("--source", help="Only this source of the mix (megatron); may be repeated.")
    ] = None,
    rows: Annotated[int | None, typer.Option("--rows", min=1, help="Training rows at most (parquet).")] = None,
    as_json: Json = False,
) -> None:
    """Write a mix for Megatron-Core or for Hugging Face datasets."""
    from curation.tokens.export.megatron import export_megatron
    from curation.tokens.export.parquet import export_parquet

    if form == "megatron":
        if rows is not None:
            raise UserError("--rows limits packed rows, and megatron files hold documents: leave it out")
        result = export_megatron(run, output, leaves=source or ())
    else:
        if source:
            raise UserError(
                "--source chooses among megatron files, and parquet holds all rows of the mix: leave it out"
            )
        result = export_parquet(run, output, rows=rows)
    if as_json:
        print_json(result)
        return
    for file in result["files"]:
        if form == "megatron":
            say(err, f"{file['prefix']}: {file['documents']:,} documents, {file['tokens']:,} tokens")
        else:
            say(err, f"{file['name']}: {file['rows']:,} rows")
    for phase, line in result.get("data_path", {}).items():
        say(err, f"phase {phase}:")
        out.print(line, soft_wrap=True, highlight=False, markup=False)
