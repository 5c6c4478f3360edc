"""The commands `winnow evaluate` and `winnow average`: what a trained model knows, and the mean of its checkpoints."""

from typing import Annotated

import typer

from curation.core.installation import importing
from pipelines import api
from pipelines.render import evaluate as render
from pipelines.render.console import Json, answer, err, say
from pipelines.trained_models import NEEDED

Model = Annotated[
    str, typer.Argument(metavar="MODEL", help="Folder that `winnow train` wrote, or one of its checkpoints.")
]


def evaluate(
    model: Model,
    checkpoints: Annotated[
        bool, typer.Option("--checkpoints", help="Evaluate every checkpoint, not only the newest.")
    ] = False,
    losses: Annotated[
        bool, typer.Option("--losses", help="Loss by source on validation and training rows; the default.")
    ] = False,
    exposure_bias: Annotated[
        bool,
        typer.Option(
            "--exposure-bias",
            help="Exposure bias: loss after the model's own text instead of the true one, by position.",
        ),
    ] = False,
    sharpness: Annotated[
        bool, typer.Option("--sharpness", help="Sharpness: largest eigenvalue of the Hessian of the loss.")
    ] = False,
    probes: Annotated[
        list[str] | None,
        typer.Option(
            "--probes",
            metavar="FILE|own",
            help="Multiple-choice questions as JSON lines, or `own`, those that come with winnow; may be repeated.",
        ),
    ] = None,
    tasks: Annotated[
        list[str] | None,
        typer.Option(
            "--tasks", metavar="FILE|FOLDER|NAME", help="lm-eval tasks, by file, folder or name; may be repeated."
        ),
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option(
            "--rows", min=1, help="Rows to evaluate of each split at most; default: the config's validation_rows."
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            "--data", metavar="FOLDER", help="Folder of the run that the model was trained on, if it was moved."
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            min=1,
            help="Processes that share the model as in training, in its precision, to compute losses; default: one "
            "process, in float32.",
        ),
    ] = None,
    parallel: Annotated[
        list[str] | None,
        typer.Option(
            "--parallel",
            metavar="NAME=VALUE",
            help="Setting of `parallel` for these processes, such as tensor=2; may be repeated; default: the run's.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Evaluate a trained model: loss by source, probes, lm-eval tasks and more.

    The results are also written beside the model, to MODEL/evaluations/step_N.json for checkpoint N.
    """
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
        workers=workers,
        parallel=parallel or (),
        on_step=lambda step: say(err, f"evaluating the checkpoint of step {step:,}"),
    )
    if found:  # none in processes of torchrun but the first
        answer(found, render.evaluations, as_json=as_json)


def average(
    model: Model,
    last: Annotated[int, typer.Option("--last", min=2, help="Number of checkpoints, counted from the newest.")],
    output: Annotated[str, typer.Option("--output", help="Folder to write the averaged model to.")],
    as_json: Json = False,
) -> None:
    """Average the weights of a training run's last checkpoints; `winnow evaluate` takes the result as a model."""
    with importing("train", NEEDED):
        from training.evaluate.average import average as write
        from training.evaluate.trained import TrainedRun
    run = TrainedRun.of(model)
    folder = write(run, last, output)
    answer({"checkpoint": folder, "steps": run.steps[-last:]}, render.averaged, as_json=as_json)
