"""What work used of energy, as the counters of machines measured it; nothing is estimated.

Fields have the names and units of CodeCarbon's emissions.csv (kWh, seconds, kg), which also have what the ML CO2 Impact
calculator asks for (hardware, hours, region). A part that a machine does not measure is "unmeasured" as a whole. All
that a machine's processors and memory use counts, whoever uses them; of GPUs only those that the work was given.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

UNMEASURED = "unmeasured"
PARTS = ("cpu", "gpu", "ram")
KWH = 3.6e6  # joules

Figure = float | str  # the only text is UNMEASURED


class Meter(NamedTuple):
    """One counter. `device` has the same name for all processes of all containers that can read it, so that merged
    readings have it once."""

    part: str  # one of PARTS
    device: str
    source: str
    model: str = ""  # of a GPU


Reading = dict[Meter, float | None]  # joules; None: it could not be read


@dataclass(frozen=True, kw_only=True)
class Energy:
    """`energy_consumed` is the sum of the parts that were measured: what one is missing there says so itself.

    `emissions` and `country_iso_code` are there only if somebody gave the grid."""

    duration: float  # seconds, over all attempts
    energy_consumed: Figure  # kWh
    cpu_energy: Figure  # kWh, of processors with what is on their package
    gpu_energy: Figure  # kWh; 0 if none was used
    ram_energy: Figure  # kWh, where it has a counter of its own
    gpu_count: int = 0
    gpu_model: str = ""  # "8 x NVIDIA H100 80GB HBM3"
    measured_by: tuple[str, ...] = ()
    country_iso_code: str = ""  # ISO 3166, three letters
    emissions: float | None = None  # kg of CO2 equivalents

    def record(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "measured_by": list(self.measured_by)}

    def on_grid(self, country: str, intensity: float | None) -> "Energy":
        """`intensity`: kg of CO2 equivalents per kWh, None if nobody gave it."""
        used = self.energy_consumed
        emissions = None if intensity is None or isinstance(used, str) else used * intensity
        return replace(self, country_iso_code=country, emissions=emissions)


def energy_of(reading: Reading, seconds: float) -> Energy:
    """The energy of merged readings of all machines."""
    joules = {part: [used for meter, used in reading.items() if meter.part == part] for part in PARTS}
    models = Counter(meter.model for meter in reading if meter.model)
    return _energy(
        seconds,
        {part: _sum(UNMEASURED if used is None else used / KWH for used in own) for part, own in joules.items()},
        gpu_count=models.total(),
        gpu_model=", ".join(f"{count} x {model}" for model, count in sorted(models.items())),
        measured_by=tuple(sorted({meter.source for meter, used in reading.items() if used is not None})),
    )


def total(energies: Iterable[Energy]) -> Energy:
    """Of attempts or stages, one after the other; the GPUs are those of the one that had most."""
    own = list(energies)
    most = max(own, key=lambda energy: energy.gpu_count, default=None)
    return _energy(
        sum(energy.duration for energy in own),
        {part: _sum(getattr(energy, f"{part}_energy") for energy in own) for part in PARTS},
        gpu_count=most.gpu_count if most else 0,
        gpu_model=most.gpu_model if most else "",
        measured_by=tuple(sorted({source for energy in own for source in energy.measured_by})),
    )


def since(before: Reading, now: Reading) -> Reading:
    """What was used between two readings; a meter that is new has counted only since it is there."""
    return {meter: None if used is None else used - (before.get(meter) or 0.0) for meter, used in now.items()}


def check_grid(country: str, intensity: float | None) -> None:
    """Raises ValueError unless they may be given to `Energy.on_grid`."""
    if country and not re.fullmatch("[A-Z]{3}", country):
        raise ValueError(f"country_iso_code is {country!r}; give the three letters of ISO 3166, such as DEU")
    if intensity is not None and not 0 <= intensity < 10:
        raise ValueError(f"carbon_intensity is {intensity:g}; give kg of CO2 per kWh, such as 0.4")


def _energy(seconds: float, parts: dict[str, Figure], **facts: Any) -> Energy:
    known = [figure for figure in parts.values() if not isinstance(figure, str)]
    return Energy(
        duration=round(seconds, 3),
        energy_consumed=sum(known) or UNMEASURED,
        cpu_energy=parts["cpu"],
        gpu_energy=parts["gpu"],
        ram_energy=parts["ram"],
        **facts,
    )


def _sum(figures: Iterable[Figure]) -> Figure:
    own = list(figures)
    known = [figure for figure in own if not isinstance(figure, str)]
    return sum(known) if len(known) == len(own) else UNMEASURED
