"""What a training takes before it starts: operations, hours, money, energy and carbon, and the layout to start it with.

Nothing that is not known is made up: without a measured MFU there are no hours but those at the device's peak, without
prices no cost. What had to be assumed is listed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from statistics import median
from typing import Any

from curation.core import storage
from curation.core.errors import InputError
from training.config.arithmetic import parts_of_rows, step_rows
from training.config.components import MODEL
from training.config.parse import key_of
from training.config.ranges import check_positive
from training.config.run import TrainConfig
from training.data.check import check_kinds, prepare
from training.metrics.devices import Accelerator, accelerator, network
from training.metrics.flops import row_flops
from training.metrics.records import read_records
from training.plan.energy import HOURS_OF_YEAR, PUE, embodied, energy, grid_intensity
from training.plan.layouts import CandidateLayout, LayoutSearch
from training.preflight import whole_model


@dataclass(frozen=True, kw_only=True)
class PriceTerms:
    """Prices in any one currency, and where the devices stand."""

    price: float | None = None  # of a device for an hour
    purchase: float | None = None  # of a device with its part of the node
    electricity: float | None = None  # of a kWh
    engineer_hours: float | None = None
    engineer_price: float | None = None  # of an hour
    lifetime: float = 4.0  # years of a device
    busy: float = 0.85  # share of its lifetime in which it works; Luccioni et al. 2022 take 6 years and this share
    grid: str = "world"
    pue: float = PUE
    power_share: float | None = None  # mean power over TDP, as measured; None: 1
    with_embodied: bool = False

    def __post_init__(self) -> None:
        names = ("price", "purchase", "electricity", "engineer_hours", "engineer_price", "lifetime", "power_share")
        check_positive(self, *names)
        if not 0 < self.busy <= 1:
            raise InputError(f"busy is {self.busy}; give a share above 0 and at most 1")
        if self.pue < 1:
            raise InputError(f"pue is {self.pue}; give 1 or more: the site's energy over that of its computers")
        if (self.engineer_hours is None) != (self.engineer_price is None):
            raise InputError("engineering time takes both --engineer-hours and --engineer-price; one is missing")
        if self.purchase is not None and self.electricity is None:
            raise InputError("devices that are owned take electricity too; give --electricity, the price of a kWh")


@dataclass(frozen=True, kw_only=True)
class TrainingBudget:
    """All that is known of a training beforehand; None where what it takes was not given."""

    parameters: int
    active_parameters: int  # that a token is multiplied with: all but rows that are looked up
    tokens: int  # read, padding included
    labels: int  # predicted, at most
    flops: float  # with all scores of attention
    simple_flops: float  # 6 x parameters x tokens
    gpus: int
    device: str
    mfu: float | None
    least_hours: float  # at the device's peak
    hours: float | None = None
    gpu_hours: float | None = None
    rented: float | None = None
    owned: float | None = None
    engineering: float | None = None
    kwh: float | None = None  # of the site
    carbon: float | None = None  # kg CO2e
    embodied: float | None = None  # kg CO2e
    layouts: Sequence[CandidateLayout]  # that fit, the fastest first
    assumed: Sequence[str]

    def record(self) -> dict[str, Any]:
        """For JSON."""
        return {**vars(self), "layouts": [one.record() for one in self.layouts]}


def ready(config: TrainConfig, data: str | None) -> TrainConfig:
    """With what the token data gives. Raises InputError if neither data nor config has it."""
    if data is not None:
        plain = replace(config, parallel=replace(config.parallel, replicate=1, tensor=1, pipeline=1, context=1))
        return replace(prepare(replace(plain, micro_batch_rows=None), data, 1).config, parallel=config.parallel)
    absent = []
    if config.model.vocabulary is None:
        absent.append(f"model.{key_of(config, MODEL)}.vocabulary=32768")
    if config.sequence_length is None:
        absent.append("sequence_length=2048")
    if absent:
        raise InputError(
            f"the config leaves to the token data what a plan must know; give --data RUN, or write {' '.join(absent)} "
            "with your numbers"
        )
    check_kinds(config)
    config.schedule.check(config.steps)
    return config


def budget(
    config: TrainConfig, gpus: int, device: str, terms: PriceTerms, *, mfu: float | None = None, between: str = "ndr"
) -> TrainingBudget:
    """`config` as `ready` gives it. Raises InputError for a device, a grid or a network that is not known, and where no
    layout fits."""
    if mfu is not None and not 0 < mfu <= 1:
        raise InputError(f"the MFU is {mfu}; give a share of the peak above 0 and at most 1, such as 0.4")
    chosen = accelerator(device)
    grid = grid_intensity(terms.grid)
    if terms.with_embodied and chosen.embodied is None:
        raise InputError(f"no source says what making a device {device} emits; leave --embodied out")
    model = whole_model(config)
    rows = step_rows(config).positions(config.steps).start
    assert config.sequence_length
    weights = {name: parameter.numel() for name, parameter in model.named_parameters()}
    flops = sum(
        count * row_flops(model, config.objective.shape(length), halved=False) for count, length in _rows(config)
    )
    search = LayoutSearch(config, gpus, chosen, network(between))
    layouts = search.found()
    if not layouts:
        raise InputError(f"no layout of {gpus} devices {device} trains this: {search.problem}")
    tokens = rows * config.sequence_length
    least = flops / (gpus * chosen.bf16) / 3600
    return TrainingBudget(
        parameters=sum(weights.values()),
        active_parameters=sum(weights[name] for name, role in model.roles().items() if role.reads),
        tokens=tokens,
        labels=sum(count * config.objective.shape(length).labels for count, length in _rows(config)),
        flops=flops,
        simple_flops=6.0 * sum(weights.values()) * tokens,
        gpus=gpus,
        device=device.lower(),
        mfu=mfu,
        least_hours=least,
        engineering=(terms.engineer_hours or 0.0) * (terms.engineer_price or 0.0) or None,
        **(_costs(terms, chosen, gpus, least / mfu, grid) if mfu else {}),
        layouts=layouts,
        assumed=_assumed(terms, chosen.power, grid),
    )


def _costs(terms: PriceTerms, device: Accelerator, gpus: int, hours: float, grid: float) -> dict[str, float]:
    """Fields of a budget that follow from its hours; those that the terms say nothing of are left out."""
    used = hours * gpus
    kwh = energy(used, device.power * (terms.power_share or 1.0), terms.pue)
    found = {"hours": hours, "gpu_hours": used, "kwh": kwh, "carbon": kwh * grid}
    if terms.price is not None:
        found["rented"] = terms.price * used
    if terms.purchase and terms.electricity:
        life = terms.lifetime * HOURS_OF_YEAR * terms.busy
        found["owned"] = terms.purchase * used / life + terms.electricity * kwh
    if terms.with_embodied and device.embodied is not None:
        found["embodied"] = embodied(used, device.embodied, terms.lifetime, terms.busy)
    return found


def _rows(config: TrainConfig) -> list[tuple[int, int]]:
    """How many rows of which length all updates read."""
    assert config.sequence_length
    ends = [min(end, config.steps) for end in accumulate(stage.steps for stage in config.length_stages)]
    found: list[tuple[int, int]] = []
    for first, end in pairwise((0, *ends, config.steps)):
        parts = parts_of_rows(config, first)
        positions = step_rows(config).positions
        found.append(((positions(end).start - positions(first).start) * parts, config.sequence_length // parts))
    return found


def _assumed(terms: PriceTerms, watts: float, grid: float) -> list[str]:
    measured = (
        "as measured" if terms.power_share else "its TDP, the most it takes; --power-share takes a measured share"
    )
    mean = ", the mean of data centres" if terms.pue == PUE else ""
    lines = [
        f"{watts * (terms.power_share or 1.0):,.0f} W a device ({measured}), without hosts and switches",
        f"PUE {terms.pue:g}{mean}",
        f"{1000 * grid:,.0f} g CO2e/kWh ({terms.grid})",
    ]
    if terms.purchase or terms.with_embodied:
        lines.append(f"a device works {terms.lifetime:g} years, {terms.busy:.0%} of the time")
    return lines


def measured_mfu(run: str) -> float:
    """The median over the updates that a training recorded. Raises InputError if there is none, or it knew no peak."""
    path = storage.join(run, "metrics.jsonl")
    if not storage.exists(path):
        raise InputError(f"{run} is no training: it has no metrics.jsonl; give the --output of a `winnow train`")
    shares = [record["mfu"] for record in read_records(path) if record["kind"] == "step" and record.get("mfu")]
    if not shares:
        raise InputError(f"{path} has no MFU, as its devices have no figures (a CPU has none); give --mfu")
    return float(median(shares))
