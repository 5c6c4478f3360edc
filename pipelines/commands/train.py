"""The command `winnow train`."""

import json
from typing import Annotated, Literal

import typer

from curation.core.credentials import masked
from pipelines import api
from pipelines.ending import adopt_orphans
from pipelines.render import progress, tables
from pipelines.render.console import Json, answer, err, plain, say


def train(
    recipe: Annotated[
        str,
        typer.Argument(
            metavar="CONFIG",
            help="Training config file (YAML), or the name of a shipped config such as demo or llama_1b.",
        ),
    ],
    data: Annotated[
        str, typer.Option("--data", help="Folder that `winnow curate` wrote, or a mix stage's folder in it.")
    ],
    output: Annotated[str, typer.Option("--output", help="Folder for checkpoints and metrics.")],
    workers: Annotated[
        int | None, typer.Option(min=1, help="Training processes; default: one per GPU, or 2 without a GPU.")
    ] = None,
    least_workers: Annotated[
        int | None,
        typer.Option(
            "--least-workers",
            min=1,
            help="Begin with this many processes, or continue after a node is lost; default: wait for all.",
        ),
    ] = None,
    device: Annotated[
        Literal["auto", "gpu", "cpu"],
        typer.Option(
            "--device", help="gpu: wait for GPUs; auto: take GPUs if the cluster has some or can start some, else CPUs."
        ),
    ] = "auto",
    overrides: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME=VALUE",
            help="Options that replace the config's, such as optimizer.learning_rate=3e-4 or steps=1000.",
        ),
    ] = None,
    init: Annotated[
        str | None,
        typer.Option(
            "--init",
            metavar="FOLDER",
            help="Initial weights: a training run, one of its checkpoints, or a folder in Hugging Face's layout.",
        ),
    ] = None,
    init_change: Annotated[
        list[str] | None,
        typer.Option(
            "--init-change",
            metavar="NAME",
            help="Option of the model that may differ from that of the initial weights, such as rope_theta.",
        ),
    ] = None,
    branch_from: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="RUN[@STEP]",
            help="Go on from a checkpoint of another training run, with other settings, in a new --output.",
        ),
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="First check every token file against its checksum.")
    ] = False,
    address: Annotated[
        str | None,
        typer.Option(
            envvar="RAY_ADDRESS", help="Address of a running Ray cluster; default: start Ray on this machine."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Train a model on a run's token shards; the same command resumes from the newest checkpoint.

    Ctrl-C writes a checkpoint first; a second Ctrl-C ends the training run at once.
    """
    begin = [f"init={json.dumps(init)}"] if init else []
    begin += [f"init_change={json.dumps(init_change)}"] if init_change else []
    config = api.read_train_config(recipe, [*(overrides or ()), *begin])
    adopt_orphans()
    say(err, plain(masked(f"loading torch and Ray, to train in {output}")))
    with progress.logged(err), progress.TrainProgress(err) as bars:
        result = api.train(
            config,
            data,
            output,
            ray_address=address,
            workers=workers,
            least_workers=least_workers,
            device=device,
            branch_from=branch_from,
            verify=verify,
            on_progress=bars.update,
        )
    answer(result, lambda console, figures: tables.training_result(console, figures, output), as_json=as_json)
