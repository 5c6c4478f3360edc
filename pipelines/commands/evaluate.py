"""The commands `winnow evaluate` and `winnow average`: what a trained model knows, and the mean of its checkpoints."""

from typing import Annotated

import typer

from curation.core.installation import importing
from pipelines import api
from pipelines.render import evaluate as render
from pipelines.render.console import Json, answer, err, say
from pipelines.trained_models import NEEDED

Model = Annotated[str, typer.Argument(metavar="MODEL", help="Folder of a training, or of one of its checkpoints.")]


def evaluate(
    model: Model,
    checkpoints: Annotated[
        bool, typer.Option("--checkpoints", help="All that are there, not the newest only.")
    ] = False,
    losses: Annotated[
        bool, typer.Option("--losses", help="Loss by source, of validation and of trained rows; the default.")
    ] = False,
    exposure_bias: Annotated[
        bool, typer.Option("--exposure-bias", help="Loss behind the model's own words, by position.")
    ] = False,
    sharpness: Annotated[
        bool, typer.Option("--sharpness", help="Largest eigenvalue of the loss's second derivatives.")
    ] = False,
    probes: Annotated[
        list[str] | None, typer.Option("--probes", metavar="FILE|own", help="Questions: JSON lines; may be repeated.")
    ] = None,
    tasks: Annotated[
        list[str] | None,
        typer.Option("--tasks", metavar="FILE|FOLDER|NAME", help="Tasks of lm-eval; may be repeated."),
    ] = None,
    rows: Annotated[
        int | None, typer.Option("--rows", min=1, help="Rows of a split at most; default: validation_rows.")
    ] = None,
    data: Annotated[
        str | None, typer.Option("--data", metavar="FOLDER", help="Its token data, if they lie elsewhere now.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Losses by source, probes, tasks of lm-eval and more, of a trained model; also in its evaluations/step_N.json."""
    found = api.evaluate(
        model,
        checkpoints=checkpoints,
        losses=losses,
        exposure_bias=exposure_bias,
        sharpness=sharpness,
        probes=probes or (),
        tasks=tasks or (),
        rows=rows,
        data=data,
        on_step=lambda step: say(err, f"judging step {step:,}"),
    )
    answer(found, render.evaluations, as_json=as_json)


def average(
    model: Model,
    last: Annotated[int, typer.Option("--last", min=2, help="How many checkpoints, the newest ones.")],
    output: Annotated[str, typer.Option("--output", help="Folder to write the mean to, as a training's.")],
    as_json: Json = False,
) -> None:
    """Write the mean of the weights of a training's last checkpoints, which `winnow evaluate` judges."""
    with importing("train", NEEDED):
        from training.evaluate.average import average as write
        from training.evaluate.trained import TrainedRun
    run = TrainedRun.of(model)
    folder = write(run, last, output)
    answer({"checkpoint": folder, "steps": run.steps[-last:]}, render.averaged, as_json=as_json)
