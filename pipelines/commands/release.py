"""The command `winnow release`: a trained model for others, with its card."""

from typing import Annotated

import typer

from pipelines import api
from pipelines.render import release as render
from pipelines.render.console import Json, answer, err, say


def release(
    model: Annotated[
        str,
        typer.Argument(metavar="MODEL", help="Folder of a finished training run, or one that `winnow average` wrote."),
    ],
    output: Annotated[str, typer.Option("--output", help="New folder on a local disk.")],
    name: Annotated[str, typer.Option(help="Name of the model; default: the recipe's.")] = "",
    licence: Annotated[str, typer.Option(help="Licence of the model: SPDX identifier or URL.")] = "",
    creator: Annotated[str, typer.Option(help="Organization that made the model.")] = "",
    dtype: Annotated[
        str, typer.Option("--dtype", help="Number format of the weights: fp32, as they were trained, bf16 or fp16.")
    ] = "fp32",
    samples: Annotated[
        int,
        typer.Option(
            "--samples",
            min=0,
            help="Number of texts to generate, and of training passages to test for memorization; 0: the model is not "
            "loaded.",
        ),
    ] = 200,
    language: Annotated[str, typer.Option(help="Language of the generated texts.")] = "en",
    terms: Annotated[
        str,
        typer.Option(
            "--terms",
            metavar="FILE",
            help="File of terms to look for in generated text, one per line, instead of the built-in list.",
        ),
    ] = "",
    seed: Annotated[int, typer.Option(help="Random seed of the generated texts.")] = 0,
    data: Annotated[
        str | None,
        typer.Option(
            "--data", metavar="FOLDER", help="Folder of the run that the model was trained on, if it was moved."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a trained model for others: transformers format, tokenizer, card, safety and memorization evaluation."""
    found = api.release(
        model,
        output,
        name=name,
        licence=licence,
        creator=creator,
        dtype=dtype,
        samples=samples,
        language=language,
        terms={language: terms} if terms else {},
        seed=seed,
        data=data,
        on_step=lambda line: say(err, line),
    )
    answer(found, lambda console, facts: render.release(console, facts, output), as_json=as_json)
