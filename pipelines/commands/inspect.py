"""The command `winnow inspect`: what files are, and the lines of a recipe that read them."""

from typing import Annotated

import typer

from curation.core.errors import InputError
from pipelines.render.console import Json, answer, err, plain, say


def inspect(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Files, also in object stores, or git repositories.")
    ],
    corpus: Annotated[
        str | None, typer.Option("--corpus", metavar="NAME", help="Compare with this corpus instead of guessing one.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Look at input files: what they are, why and how sure that is, five documents, and the recipe lines for them.

    Of several files, those that cannot be read are named, and the others shown.
    """
    from curation.sources.inspection import given_files, inspected
    from pipelines.render import inspection as render

    if len(files) == 1:
        answer([inspected(files[0], corpus)], render.inspection, as_json=as_json)
        return
    found = []
    refused: list[str] = []
    given = given_files(files) if corpus is None else {}
    for path in files:
        try:
            found.append(inspected(path, corpus, given))
        except InputError as error:
            refused.append(str(error))
    answer(found, render.inspection, as_json=as_json)
    for reason in refused:
        say(err, plain(reason))
    if refused:
        raise typer.Exit(2)
