"""Counters of a pretended machine: packages once, counters that begin again, GPUs by counter or by power."""

import sys
import time
from pathlib import Path

import pytest

from curation.core import energy_meter
from curation.core.energy import UNMEASURED, Meter
from curation.core.energy_meter import NVML, POWER, RAPL, EnergyMeter, machine
from tests.curation.core.machines import PretendedNvml, write_zones

MODEL = "NVIDIA H100 80GB HBM3"


@pytest.fixture
def nvml(monkeypatch: pytest.MonkeyPatch) -> PretendedNvml:
    made = PretendedNvml()
    monkeypatch.setitem(sys.modules, "pynvml", made)
    return made


def zones(first: int, second: int, memory: int) -> dict[str, tuple[str, int]]:
    """Two sockets, one of which has a counter of its memory, with all that would count them twice."""
    return {
        "intel-rapl:0": ("package-0", first),
        "intel-rapl:0:0": ("core", 9_000_000 + first),
        "intel-rapl:0:1": ("dram", memory),
        "intel-rapl:1": ("package-1", second),
        "intel-rapl:2": ("psys", 9_000_000 + first + second),
        "intel-rapl-mmio:0": ("package-0", first),
    }


def test_packages_and_memory_count_once(tmp_path: Path) -> None:
    meter = EnergyMeter((), write_zones(tmp_path, zones(1_000_000, 2_000_000, 0)))
    write_zones(tmp_path, zones(4_000_000, 2_500_000, 250_000))
    assert meter.read() == {
        Meter("cpu", f"{machine()}/intel-rapl:0", RAPL): 3.0,
        Meter("ram", f"{machine()}/intel-rapl:0:1", RAPL): 0.25,
        Meter("cpu", f"{machine()}/intel-rapl:1", RAPL): 0.5,
    }


def test_a_counter_that_begins_again(tmp_path: Path) -> None:
    folder = write_zones(tmp_path, {"intel-rapl:0": ("package-0", 8_000_000)}, limit=10_000_000)
    meter = EnergyMeter((), folder)
    for microjoules in (9_000_000, 1_000_000, 500_000):  # 1 J, 2 J, 9.5 J
        write_zones(folder, {"intel-rapl:0": ("package-0", microjoules)}, limit=10_000_000)
        used = meter.read()
    assert used[Meter("cpu", f"{machine()}/intel-rapl:0", RAPL)] == pytest.approx(12.5)


def test_while_it_is_a_context_it_reads_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(energy_meter, "SECONDS", 0.01)
    folder = write_zones(tmp_path, {"intel-rapl:0": ("package-0", 8_000_000)}, limit=10_000_000)
    with EnergyMeter((), folder) as meter:
        for microjoules in (4_000_000, 9_000_000):  # 6 J, 5 J; it was at 9 J twice
            write_zones(folder, {"intel-rapl:0": ("package-0", microjoules)}, limit=10_000_000)
            time.sleep(0.2)
    assert meter.read()[Meter("cpu", f"{machine()}/intel-rapl:0", RAPL)] == pytest.approx(11.0)


def test_a_machine_without_counters_is_unmeasured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = {Meter(part, machine(), UNMEASURED): None for part in ("cpu", "ram")}
    assert EnergyMeter((), tmp_path).read() == nothing
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert EnergyMeter(None, tmp_path).read() == nothing | {Meter("gpu", machine(), UNMEASURED): None}
    assert EnergyMeter(["GPU-a"], tmp_path).read() == nothing | {Meter("gpu", "GPU-a", UNMEASURED): None}


def test_what_may_not_be_read_is_unmeasured(tmp_path: Path) -> None:
    folder = write_zones(tmp_path, zones(1, 1, 1))
    (folder / "intel-rapl:1" / "energy_uj").unlink()
    meter = EnergyMeter((), folder)
    (folder / "intel-rapl:0:1" / "energy_uj").write_text("")
    assert meter.read() == {
        Meter("cpu", f"{machine()}/intel-rapl:0", RAPL): 0.0,
        Meter("ram", f"{machine()}/intel-rapl:0:1", RAPL): None,
        Meter("cpu", f"{machine()}/intel-rapl:1", RAPL): None,
    }


def test_gpus_by_their_counter(tmp_path: Path, nvml: PretendedNvml) -> None:
    every = EnergyMeter(None, tmp_path)
    one = EnergyMeter(["GPU-b"], tmp_path)
    nvml.energy = {"GPU-a": 6_500, "GPU-b": 7_250}
    b = {Meter("gpu", "GPU-b", NVML, MODEL): 0.25}
    assert every.read().items() >= {Meter("gpu", "GPU-a", NVML, MODEL): 1.5, **b}.items()
    assert {meter: used for meter, used in one.read().items() if meter.part == "gpu"} == b
    nvml.energy["GPU-b"] = 10  # the driver was loaded anew
    assert one.read()[Meter("gpu", "GPU-b", NVML, MODEL)] is None


def test_gpus_without_the_counter_by_their_power(
    tmp_path: Path, nvml: PretendedNvml, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = iter([10.0, 12.0, 13.0])
    monkeypatch.setattr(time, "perf_counter", lambda: next(seconds))
    nvml.energy = {"GPU-a": None}
    own = Meter("gpu", "GPU-a", POWER, MODEL)
    meter = EnergyMeter(None, tmp_path)  # at 300 W
    nvml.power = 500_000
    assert meter.read()[own] == 800.0  # 2 s at 400 W on average
    nvml.power = 100_000
    assert meter.read()[own] == 1100.0
    nvml.power = None
    assert meter.read()[own] is None


def test_gpus_that_tell_neither(tmp_path: Path, nvml: PretendedNvml) -> None:
    nvml.energy = {"GPU-a": None}
    nvml.power = None
    assert EnergyMeter(None, tmp_path).read()[Meter("gpu", "GPU-a", NVML, MODEL)] is None
    assert EnergyMeter(["GPU-z"], tmp_path).read()[Meter("gpu", "GPU-z", UNMEASURED)] is None
