"""The commands `winnow scaling`: a law of the loss from finished trainings, and what a large one will come to."""

import json
from dataclasses import asdict
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any

import typer

from curation.core import storage
from curation.core.errors import InputError, UserError
from pipelines import api
from pipelines.render import scaling as render
from pipelines.render.console import Json, answer

if TYPE_CHECKING:  # slow to import
    from training.plan.fit import LawFit, Observation

app = typer.Typer(help="Fit scaling laws to training runs, and predict the loss of a larger one.")

Runs = Annotated[
    list[str],
    typer.Argument(
        metavar="MODEL...", help="Folders of finished training runs on the same data, also in object stores."
    ),
]
Config = Annotated[str, typer.Argument(metavar="CONFIG", help="Training config file, or the name of a shipped one.")]
Bootstrap = Annotated[int, typer.Option("--bootstrap", min=40, help="Bootstrap resamples for the 95 % intervals.")]
Served = Annotated[
    float | None,
    typer.Option(
        "--served", min=0, help="Tokens of inference to be served: also find the model that is cheapest including them."
    ),
]
Unique = Annotated[
    float | None,
    typer.Option(
        "--unique", min=1, help="Unique training tokens available: also predict the loss when they are repeated."
    ),
]
LARGE = "large.yaml"


@app.command()
def optimum(
    flops: Annotated[
        float, typer.Argument(metavar="FLOPS", help="Training compute in floating-point operations, e.g. 5.76e23.")
    ],
    served: Served = None,
    unique: Unique = None,
    as_json: Json = False,
) -> None:
    """Find the compute-optimal model size and number of tokens by published scaling laws."""
    from training.plan.advice import advise
    from training.plan.laws import PUBLISHED

    if not 0 < flops < float("inf"):
        raise UserError(f"{flops} floating-point operations train nothing; give a number such as 5.76e23")
    found = {name: advise(law, flops, served=served, unique=unique) for name, law in PUBLISHED.items()}
    answer(found, render.optimum, as_json=as_json)


@app.command()
def fit(
    runs: Runs,
    bootstrap: Bootstrap = 200,
    served: Served = None,
    unique: Unique = None,
    as_json: Json = False,
) -> None:
    """Fit L = E + A / N^alpha + B / D^beta to your training runs, and predict larger ones."""
    from training.plan.advice import advise_beyond

    found = _fitted(runs, bootstrap)
    law = asdict(found.law)
    report = {
        "runs": len(found.runs),
        "largest_flops": found.largest,
        "law": law,
        "intervals": {name: found.interval(lambda one, name=name: float(getattr(one, name))) for name in law},  # type: ignore[misc]
        "optima": advise_beyond(found, served=served, unique=unique),
    }
    answer(report, render.fit, as_json=as_json)


@app.command()
def ladder(
    config: Config,
    output: Annotated[str, typer.Option("--output", help="Folder to write the configs to.")],
    overrides: Annotated[
        list[str] | None, typer.Argument(metavar="NAME=VALUE", help="Options that replace the config's.")
    ] = None,
    rungs: Annotated[
        int, typer.Option("--rungs", min=3, help="Number of model sizes; each is trained on three numbers of tokens.")
    ] = 3,
    tokens_per_parameter: Annotated[
        float,
        typer.Option(
            "--tokens-per-parameter",
            min=0.1,
            help="Tokens per parameter of the middle run; the others have 1/4 and 4 times as many.",
        ),
    ] = 20,
    share: Annotated[
        float,
        typer.Option(
            "--share", min=0, help="Largest fraction of the config's compute that all small runs may take together."
        ),
    ] = 0.1,
    as_json: Json = False,
) -> None:
    """Write configs of small training runs, from which `winnow scaling predict` predicts the loss of the large one."""
    from training.plan.ladder import ladder as plan
    from training.plan.ladder import sized

    large = sized(api.read_train_config(config, overrides or ()))
    if storage.exists(storage.join(output, LARGE)):
        raise UserError(f"{output} holds a ladder; give another output")
    planned = plan(large.config, rungs=rungs, tokens_per_parameter=tokens_per_parameter, share=share)
    storage.make_folder(output)
    rows = []
    for number, one in enumerate([*planned, large], 1):
        file = LARGE if one is large else f"rung_{number:02}.yaml"
        storage.replace_bytes(storage.join(output, file), _yaml(one.config))
        rows.append({"file": file, "parameters": one.parameters, "tokens": one.tokens, "flops": one.flops})
    answer({"output": output, "trainings": rows}, render.ladder, as_json=as_json)


@app.command()
def predict(config: Config, runs: Runs, bootstrap: Bootstrap = 200, as_json: Json = False) -> None:
    """Predict the final loss of a training run from smaller ones."""
    from training.plan.ladder import sized

    large = sized(api.read_train_config(config))
    found = _fitted(runs, bootstrap).predict(large.parameters, large.tokens)
    sizes = {"parameters": large.parameters, "tokens": large.tokens, "flops": large.flops}
    answer({**sizes, **found._asdict()}, render.predict, as_json=as_json)


def _yaml(config: Any) -> bytes:
    import yaml

    from training.config.parse import as_mapping

    plain = json.loads(json.dumps(as_mapping(config)))  # lists for tuples
    return yaml.safe_dump(plain, sort_keys=False, allow_unicode=True).encode()


def _fitted(runs: list[str], bootstrap: int) -> "LawFit":
    from training.plan.fit import fit_law

    if len({storage.absolute(run) for run in runs}) < len(runs):
        raise UserError("a run is given twice; give each once")
    results = {run: _result(run) for run in runs}
    data = {result["data_fingerprint"]: run for run, result in results.items()}
    if len(data) > 1:
        raise InputError(f"{' and '.join(data.values())} are trainings on different data, whose losses make no law")
    return fit_law([_observation(run, result) for run, result in results.items()], resamples=bootstrap)


def _result(run: str) -> dict[str, Any]:
    from training.checkpoint.run_record import finished

    result = finished(run)
    if result is None:
        raise InputError(f"{run} has no result.json: give the --output of a `winnow train` that has finished")
    return result


def _observation(run: str, result: dict[str, Any]) -> "Observation":
    from training.plan.fit import Observation

    found = Observation(result["parameters"], result["tokens"], result["validation_loss"])
    if not all(isfinite(value) and value > 0 for value in found):
        raise InputError(f"{run} ended with a validation loss of {found.loss}: leave it out, or train it again")
    return found
