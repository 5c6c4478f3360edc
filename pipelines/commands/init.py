"""The command `winnow init`: a recipe for files, drafted by a look at them."""

import shlex
from typing import Annotated

import typer

from curation.core import storage
from curation.core.errors import UserError
from pipelines.render.console import err, plain, say

SCHEMA = "recipe.schema.json"  # beside a recipe, which names it for editors
ENDS = (".yaml", ".yml")


def init(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Files, folders or globs, also in stores.")],
    output: Annotated[
        str | None, typer.Option("--output", metavar="FILE", help="New file for the recipe; default: print it.")
    ] = None,
) -> None:
    """Draft a commented recipe for files: how to read them, their languages, quality, copies, tokens.

    With --output, the schema by which editors complete and check recipes is written beside it.
    """
    from pipelines.recipe_draft import draft
    from pipelines.recipe_schema import schema_text

    def warn(reason: str) -> None:
        say(err, plain(f"not read: {reason}"))

    if output is None:
        typer.echo(draft(files, "mine", warn), nl=False)
        say(err, f"for editors: winnow schema > {SCHEMA}, beside the recipe")
        return
    folder, slash, file = output.rpartition("/")
    if not file.endswith(ENDS) or file.startswith("."):
        raise UserError(f"--output {output} is no name of a recipe; give one that ends in .yaml")
    if storage.exists(output):
        raise UserError(f"{output} exists, and is not overwritten; give another name by --output")
    recipe = draft(files, file.rpartition(".")[0], warn)
    storage.make_folder(folder or slash or ".")
    storage.write_bytes(output, recipe.encode())
    schema = f"{folder}{slash}{SCHEMA}"
    beside = ""
    if not storage.exists(schema):
        storage.write_bytes(schema, schema_text().encode())
        beside = f", and {schema} for editors"
    say(err, plain(f"wrote {output}{beside}; next: winnow plan {shlex.quote(output)}"))
