"""The command `winnow compare`: which run teaches a model most, at equal training tokens."""

from typing import Annotated, Literal

import typer

from curation.core.errors import UserError
from pipelines import api
from pipelines.render import compare as render
from pipelines.render import plots
from pipelines.render.console import Json, answer, err
from pipelines.render.progress import CompareProgress

MB = 1_000_000

Runs = Annotated[
    list[str], typer.Argument(metavar="RUN...", help="Run folders, JSON lines or Parquet files; PATH or NAME=PATH.")
]
Heldout = Annotated[
    list[str],
    typer.Option("--heldout", metavar="FILE", help="Clean text to evaluate on, or a quoted glob; may be repeated."),
]
By = Annotated[
    str | None, typer.Option("--by", metavar="FIELD", help="Field that names a text's kind; default: the file's name.")
]
Model = Annotated[
    Literal["ngram", "decoder"],
    typer.Option("--model", help="Kind of model to train on each run: an n-gram model, or a small decoder."),
]
Config = Annotated[
    str,
    typer.Option(
        "--train",
        metavar="CONFIG",
        help="Training config of the decoder, or the name of a shipped one; with --model decoder.",
    ),
]
Tokens = Annotated[
    int | None, typer.Option("--tokens", min=1, help="Training tokens; default: half of what the smallest run has.")
]
Seeds = Annotated[int, typer.Option("--seeds", min=2, help="Number of random samples of training text from each run.")]
Points = Annotated[
    int, typer.Option("--points", min=1, help="Number of token budgets: the full one, half of it, a quarter and so on.")
]
Size = Annotated[int, typer.Option("--vocab-size", help="Tokens of the tokenizer that all runs share.")]
SampleMb = Annotated[float, typer.Option("--sample-mb", min=0.001, help="Text of a run to draw from, in MB.")]
Plot = Annotated[
    str | None, typer.Option("--plot", metavar="FILE", help="Also draw bits per byte over tokens: .png or .svg.")
]


def compare(
    runs: Runs,
    heldout: Heldout,
    by: By = None,
    model: Model = "ngram",
    config: Config = "demo",
    tokens: Tokens = None,
    seeds: Seeds = 5,
    points: Points = 4,
    vocab_size: Size = 4096,
    sample_mb: SampleMb = 64,
    plot: Plot = None,
    as_json: Json = False,
) -> None:
    """Compare runs by how well a small model trained on each predicts held-out text, at equal training tokens."""
    if plot is not None:
        plots.check(plot)
    if model != "decoder" and config != "demo":
        raise UserError("--train is the config of a decoder; add --model decoder")
    with CompareProgress(err) as bars:
        compared = api.compare(
            runs,
            heldout,
            decoder=config if model == "decoder" else None,
            by=by,
            tokens=tokens,
            seeds=seeds,
            points=points,
            vocabulary=vocab_size,
            sample_bytes=int(sample_mb * MB),
            on_progress=bars.update,
        )
    if plot is not None:
        from pipelines.render import compare_plot  # imports what judges runs

        compare_plot.draw(plot, compared)
    answer(compared, lambda console, value: render.comparison(console, value, plot), as_json=as_json)
