"""The command `winnow plan-training`: what a training takes, before it starts."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from curation.core.errors import InputError, UserError
from pipelines import api
from pipelines.render.console import Json, answer, out, print_json


def plan_training(
    recipe: Annotated[
        str | None, typer.Argument(metavar="CONFIG", help="Training config, or the name of a shipped one.")
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME=VALUE", help="Options in place of the config's: steps=100000."),
    ] = None,
    gpus: Annotated[int | None, typer.Option(min=1, help="Devices.")] = None,
    device: Annotated[str | None, typer.Option(help="Which: h100, a100, …; --devices lists them.")] = None,
    data: Annotated[str | None, typer.Option(metavar="RUN", help="Token data, for vocabulary and rows.")] = None,
    network: Annotated[str, typer.Option(help="Between nodes: hdr, ndr, xdr, ethernet100.")] = "ndr",
    mfu: Annotated[float | None, typer.Option(help="Share of the peak that a run measured.")] = None,
    measured: Annotated[str | None, typer.Option(metavar="RUN", help="A training whose MFU is taken.")] = None,
    price: Annotated[float | None, typer.Option(help="Rent of a device for an hour.")] = None,
    purchase: Annotated[float | None, typer.Option(help="Price of a device, with its part of the node.")] = None,
    electricity: Annotated[float | None, typer.Option(help="Price of a kWh.")] = None,
    engineer_hours: Annotated[float | None, typer.Option(help="Hours of engineers.")] = None,
    engineer_price: Annotated[float | None, typer.Option(help="Price of such an hour.")] = None,
    lifetime: Annotated[float, typer.Option(help="Years that a device works.")] = 4.0,
    busy: Annotated[float, typer.Option(help="Share of them in which it does.")] = 0.85,
    grid: Annotated[str, typer.Option(help="Country, or g CO2e/kWh.")] = "world",
    pue: Annotated[float | None, typer.Option(help="Energy of the site over that of its computers.")] = None,
    power_share: Annotated[float | None, typer.Option(help="Mean power over TDP, as measured.")] = None,
    embodied: Annotated[bool, typer.Option("--embodied", help="With the share of making the devices.")] = False,
    every: Annotated[bool, typer.Option("--all", help="All layouts that fit, not the fastest ones alone.")] = False,
    published: Annotated[bool, typer.Option("--published", help="Published cases, and the error of each.")] = False,
    devices: Annotated[bool, typer.Option("--devices", help="Devices and networks with figures.")] = False,
    as_json: Json = False,
) -> None:
    """Parameters, operations, hours, cost, energy, carbon, and the layouts that fit; nothing is started."""
    from pipelines.render import budget as render  # imports torch, as does training.plan
    from training.metrics.devices import ACCELERATORS, NETWORKS
    from training.plan import cases
    from training.plan.budget import PriceTerms, budget, measured_mfu, ready
    from training.plan.energy import PUE

    if published:
        answer(
            {
                "figures": [one.record() for one in cases.figures()],
                "mfu": [one._asdict() for one in cases.implied()],
                "notes": cases.NOTES,
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
        raise UserError("give the MFU by --mfu or by --measured RUN, not by both")
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
