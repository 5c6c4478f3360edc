"""The command `winnow inspect`: what files are, and the lines of a recipe that read them."""

from typing import Annotated

import typer

from pipelines.render.console import Json, answer


def inspect(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Files, also in stores.")],
    corpus: Annotated[
        str | None, typer.Option("--corpus", metavar="NAME", help="Compare with this corpus instead of guessing one.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Guess what files are: their fields, five documents, and the `read` lines of a recipe."""
    from curation.sources.inspection import inspected
    from pipelines.render import inspection as render

    answer([inspected(path, corpus) for path in files], render.inspection, as_json=as_json)
