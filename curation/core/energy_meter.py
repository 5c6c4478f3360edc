"""Reads a machine's counters of energy: RAPL's of its processors and memory, NVML's of its GPUs.

Sources: Linux, Documentation/power/powercap/powercap.rst (microjoules; a counter begins again at max_energy_range_uj);
Intel, Software Developer's Manual, volume 3B, "RAPL interfaces" (a package's counter has its cores, but not the memory;
psys has the packages); NVIDIA, NVML API reference, nvmlDeviceGetTotalEnergyConsumption (millijoules since
the driver was loaded, from Volta on) and nvmlDeviceGetPowerUsage (milliwatts).
"""

import platform
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from curation.core.energy import UNMEASURED, Meter, Reading
from curation.core.threads import repeating

POWERCAP = Path("/sys/class/powercap")
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")  # the same in all containers of a machine
# Between two readings. At 500 W a counter of RAPL begins again after 9 minutes; power that NVML gives is integrated.
SECONDS = 1.0
RAPL = "RAPL"
NVML = "NVML's counter"
POWER = "NVML's power, integrated"

Source = Callable[[], float]  # joules since the last call


class EnergyMeter:
    """Counts what this machine uses from now on. `gpus`: UUIDs of those that count; None: all that there are.

    As a context it reads each second; otherwise only when it is asked."""

    def __init__(self, gpus: Sequence[str] | None = None, powercap: Path = POWERCAP) -> None:
        self._lock = threading.Lock()
        self._sources = _zones(powercap) | _gpus(gpus)
        self._used: Reading = {meter: None if source is None else 0.0 for meter, source in self._sources.items()}

    def read(self) -> Reading:
        """Joules since the beginning."""
        self._sample()
        return dict(self._used)

    def __enter__(self) -> "EnergyMeter":
        self._ticks = repeating(self._sample, SECONDS, "winnow-energy")
        self._ticks.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._ticks.__exit__(None, None, None)

    def _sample(self) -> None:
        """A counter that cannot be read once, or was set back, has no figure any more."""
        with self._lock:
            for meter, source in self._sources.items():
                used = self._used[meter]
                if used is not None and source is not None:
                    try:
                        self._used[meter] = used + source()
                    except (OSError, ValueError):
                        self._used[meter] = None


def machine() -> str:
    """A name that all processes of this machine share, and no other machine has."""
    try:
        return BOOT_ID.read_text().strip()
    except OSError:
        return platform.node()


class _Growth:
    """Of a counter that begins again at `limit`; without one it never does."""

    def __init__(self, joules: Callable[[], float], limit: float = 0.0) -> None:
        self._joules = joules
        self._limit = limit
        self._last = joules()

    def __call__(self) -> float:
        now = self._joules()
        used = now - self._last
        self._last = now
        if used < 0:
            used += self._limit
        if used < 0:
            raise ValueError("the counter was set back")
        return used


class _Integral:
    """Of power, between two readings along a straight line."""

    def __init__(self, watts: Callable[[], float]) -> None:
        self._watts = watts
        self._last = time.perf_counter(), watts()

    def __call__(self) -> float:
        began, before = self._last
        watts = self._watts()
        now = time.perf_counter()
        self._last = now, watts
        return (now - began) * (before + watts) / 2


def _zones(powercap: Path) -> dict[Meter, Source | None]:
    """Packages, and the memory that belongs to them. `intel-rapl-mmio` would count the same packages again."""
    found: dict[Meter, Source | None] = {}
    for zone in sorted(powercap.glob("intel-rapl:*")):
        name = (zone / "name").read_text().strip()
        part = "cpu" if name.startswith("package") else "ram" if name == "dram" else ""
        if part:
            meter = Meter(part, f"{machine()}/{zone.name}", RAPL)
            try:
                limit = int((zone / "max_energy_range_uj").read_text()) / 1e6
                found[meter] = _Growth(partial(_microjoules, zone / "energy_uj"), limit)
            except OSError:  # only root may read it
                found[meter] = None
    missing = {"cpu", "ram"} - {meter.part for meter in found}
    return found | {Meter(part, machine(), UNMEASURED): None for part in sorted(missing)}


def _microjoules(file: Path) -> float:
    return int(file.read_text()) / 1e6


def _gpus(chosen: Sequence[str] | None) -> dict[Meter, Source | None]:
    unknown: dict[Meter, Source | None] = {
        Meter("gpu", name, UNMEASURED): None for name in ([machine()] if chosen is None else chosen)
    }
    if not unknown:
        return {}
    try:
        import pynvml as nvml
    except ImportError:
        return unknown
    try:
        nvml.nvmlInit()
        if chosen is None:
            handles = [nvml.nvmlDeviceGetHandleByIndex(index) for index in range(nvml.nvmlDeviceGetCount())]
        else:
            handles = [nvml.nvmlDeviceGetHandleByUUID(name) for name in chosen]
        return dict(_gpu(nvml, gpu) for gpu in handles)
    except nvml.NVMLError:
        return unknown


def _gpu(nvml: Any, gpu: Any) -> tuple[Meter, Source | None]:
    def asked(question: Callable[[Any], int]) -> float:
        try:
            return question(gpu) / 1e3
        except nvml.NVMLError as error:
            raise OSError(str(error)) from error

    meter = Meter("gpu", nvml.nvmlDeviceGetUUID(gpu), NVML, nvml.nvmlDeviceGetName(gpu))
    for source, kind, question in (
        (NVML, _Growth, nvml.nvmlDeviceGetTotalEnergyConsumption),
        (POWER, _Integral, nvml.nvmlDeviceGetPowerUsage),
    ):
        try:
            return meter._replace(source=source), kind(partial(asked, question))
        except OSError:
            continue
    return meter, None
