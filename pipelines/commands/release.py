"""The command `winnow release`: a trained model for others, with its card."""

from typing import Annotated

import typer

from pipelines import api
from pipelines.render import release as render
from pipelines.render.console import Json, answer, err, say


def release(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Folder of a finished training, or of its mean.")],
    output: Annotated[str, typer.Option("--output", help="New folder on a local disk.")],
    name: Annotated[str, typer.Option(help="Name of the model; default: the recipe's.")] = "",
    licence: Annotated[str, typer.Option(help="Licence of the model: SPDX identifier or URL.")] = "",
    creator: Annotated[str, typer.Option(help="Organization that made it.")] = "",
    samples: Annotated[
        int, typer.Option("--samples", min=1, help="Texts that it writes, and passages that it is asked for.")
    ] = 200,
    language: Annotated[str, typer.Option(help="Of what it writes.")] = "en",
    terms: Annotated[
        str, typer.Option("--terms", metavar="FILE", help="Terms to look for, one a line, in place of the built-in.")
    ] = "",
    seed: Annotated[int, typer.Option(help="Of the texts that it writes.")] = 0,
    data: Annotated[
        str | None, typer.Option("--data", metavar="FOLDER", help="Its token data, if they lie elsewhere now.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a trained model for transformers with tokenizer, card, checksums and what it should not say."""
    found = api.release(
        model,
        output,
        name=name,
        licence=licence,
        creator=creator,
        samples=samples,
        language=language,
        terms={language: terms} if terms else {},
        seed=seed,
        data=data,
        on_step=lambda line: say(err, line),
    )
    answer(found, lambda console, facts: render.release(console, facts, output), as_json=as_json)
