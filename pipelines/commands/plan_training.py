"""The command `winnow plan-training`: what a training run takes, before it starts."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from curation.core.errors import InputError, UserError
from pipelines import api
from pipelines.render.console import Json, answer, out, print_json


def plan_training(
    recipe: Annotated[
        str | None,
        typer.Argument(metavar="CONFIG", help="Training config file, or the name of a shipped one such as llama_1b."),
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME=VALUE", help="Options that replace the config's: steps=100000 model.decoder.preset=7b."
        ),
    ] = None,
    gpus: Annotated[int | None, typer.Option(min=1, help="Number of devices.")] = None,
    device: Annotated[str | None, typer.Option(help="Accelerator model, e.g. h100 (see --devices).")] = None,
    data: Annotated[
        str | None,
        typer.Option(
            metavar="RUN", help="Run that the model will be trained on, for its vocabulary and sequence length."
        ),
    ] = None,
    network: Annotated[str, typer.Option(help="Network between nodes: hdr, ndr, xdr or ethernet100.")] = "ndr",
    mfu: Annotated[
        float | None, typer.Option(help="Model FLOP/s utilization, 0 to 1, as measured on a similar training run.")
    ] = None,
    measured: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Training run whose measured MFU is used.")
    ] = None,
    price: Annotated[float | None, typer.Option(help="Rent of one device for an hour.")] = None,
    purchase: Annotated[
        float | None, typer.Option(help="Purchase price of one device with its share of the node.")
    ] = None,
    electricity: Annotated[float | None, typer.Option(help="Price of a kWh.")] = None,
    engineer_hours: Annotated[float | None, typer.Option(help="Engineer hours spent on the training run.")] = None,
    engineer_price: Annotated[float | None, typer.Option(help="Cost of one engineer hour.")] = None,
    lifetime: Annotated[float, typer.Option(help="Lifetime of a device, in years.")] = 4.0,
    busy: Annotated[float, typer.Option(help="Fraction of its lifetime that a device is in use.")] = 0.85,
    grid: Annotated[
        str, typer.Option(help="Country of the power grid, or its carbon intensity in g CO2e per kWh.")
    ] = "world",
    pue: Annotated[float | None, typer.Option(help="Power usage effectiveness of the data centre.")] = None,
    power_share: Annotated[float | None, typer.Option(help="Mean power of a device as a fraction of its TDP.")] = None,
    embodied: Annotated[
        bool, typer.Option("--embodied", help="Include the emissions of manufacturing the devices.")
    ] = False,
    every: Annotated[bool, typer.Option("--all", help="Show all layouts that fit, not only the fastest.")] = False,
    published: Annotated[
        bool, typer.Option("--published", help="Show published training runs beside this calculation, with its errors.")
    ] = False,
    devices: Annotated[bool, typer.Option("--devices", help="List known devices and networks.")] = False,
    as_json: Json = False,
) -> None:
    """Estimate a training run before it starts: parameters, FLOPs, hours, cost, energy, carbon, layouts that fit."""
    from pipelines import published_runs
    from pipelines.render import budget as render  # imports torch, as does training.plan
    from training.metrics.devices import ACCELERATORS, NETWORKS
    from training.plan.budget import PriceTerms, budget, measured_mfu, ready
    from training.plan.energy import PUE

    if published:
        answer(
            {
                "figures": [one.record() for one in published_runs.figures()],
                "mfu": [one._asdict() for one in published_runs.implied()],
                "notes": published_runs.NOTES,
            },
            render.cases,
            as_json=as_json,
        )
        return
    if devices:
        known: dict[str, Mapping[str, Any]] = {"devices": ACCELERATORS, "networks": NETWORKS}
        answer(known, render.devices, as_json=as_json)
        return
    if recipe is None or gpus is None or device is None:
        raise UserError("give a training config, --gpus N and --device NAME; or --published, or --devices")
    if mfu is not None and measured is not None:
        raise UserError("give the MFU by --mfu or by --measured MODEL, not by both")
    try:
        terms = PriceTerms(
            price=price,
            purchase=purchase,
            electricity=electricity,
            engineer_hours=engineer_hours,
            engineer_price=engineer_price,
            lifetime=lifetime,
            busy=busy,
            grid=grid,
            pue=PUE if pue is None else pue,
            power_share=power_share,
            with_embodied=embodied,
        )
        config = ready(api.read_train_config(recipe, overrides or ()), data)
        share = measured_mfu(measured) if measured is not None else mfu
        planned = budget(config, gpus, device, terms, mfu=share, between=network)
    except ValueError as error:  # the config and the options do not fit together
        raise InputError(str(error)) from error
    if as_json:
        print_json(planned.record())
    else:
        render.budget(out, planned, every=every)
