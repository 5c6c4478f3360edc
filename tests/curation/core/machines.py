"""A pretended machine: a tree like /sys/class/powercap, and a library like NVML; no test machine has either."""

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import NoReturn


def write_zones(folder: Path, zones: Mapping[str, tuple[str, int]], limit: int = 1_000_000_000) -> Path:
    """`zones`: name and microjoules by the zone's folder; written again, they are what is read then."""
    for zone, (name, microjoules) in zones.items():
        (folder / zone).mkdir(parents=True, exist_ok=True)
        (folder / zone / "name").write_text(f"{name}\n")
        (folder / zone / "max_energy_range_uj").write_text(f"{limit}\n")
        (folder / zone / "next").write_text(f"{microjoules}\n")
        (folder / zone / "next").replace(folder / zone / "energy_uj")
    return folder


class PretendedNvml(ModuleType):
    """Two GPUs: `energy` in millijoules, None where the counter is missing, and `power` in milliwatts."""

    NVMLError = type("NVMLError", (Exception,), {})

    def __init__(self) -> None:
        super().__init__("pynvml")
        self.energy: dict[str, int | None] = {"GPU-a": 5_000, "GPU-b": 7_000}
        self.power: int | None = 300_000

    def nvmlInit(self) -> None:  # noqa: N802
        pass

    def nvmlDeviceGetCount(self) -> int:  # noqa: N802
        return len(self.energy)

    def nvmlDeviceGetHandleByIndex(self, index: int) -> str:  # noqa: N802
        return list(self.energy)[index]

    def nvmlDeviceGetHandleByUUID(self, uuid: str) -> str:  # noqa: N802
        return uuid if uuid in self.energy else self._refuse()

    def nvmlDeviceGetUUID(self, gpu: str) -> str:  # noqa: N802
        return gpu

    def nvmlDeviceGetName(self, gpu: str) -> str:  # noqa: N802
        return "NVIDIA H100 80GB HBM3"

    def nvmlDeviceGetTotalEnergyConsumption(self, gpu: str) -> int:  # noqa: N802
        energy = self.energy[gpu]
        return self._refuse() if energy is None else energy

    def nvmlDeviceGetPowerUsage(self, gpu: str) -> int:  # noqa: N802
        return self._refuse() if self.power is None else self.power

    def _refuse(self) -> NoReturn:
        raise self.NVMLError("not supported")
