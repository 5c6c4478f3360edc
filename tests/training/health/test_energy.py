"""What a training used: attempts add up, a machine counts once, a GPU for each process; nothing is guessed."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from curation.core.energy import KWH, UNMEASURED, Meter, Reading
from tests.training.runs import TINY, counting_run, read_metrics
from training.config.parse import parse
from training.health import energy
from training.health.energy import EnergyLog
from training.start import train

CPU = torch.device("cpu")


def package(kwh: float) -> Reading:
    return {Meter("cpu", "one/intel-rapl:0", "RAPL"): kwh * KWH, Meter("ram", "one", UNMEASURED): None}


def gpu(name: str, kwh: float) -> Reading:
    return {Meter("gpu", name, "NVML's counter", "NVIDIA H100 80GB HBM3"): kwh * KWH}


def test_processes_of_a_machine_count_its_packages_once_and_each_its_gpu(tmp_path: Path) -> None:
    log = EnergyLog(str(tmp_path), CPU, writes=True)
    found = log.add([package(1.0) | gpu("GPU-a", 2.0), package(1.0) | gpu("GPU-b", 3.0)])
    assert (found.cpu_energy, found.gpu_energy, found.ram_energy) == (1.0, 5.0, UNMEASURED)
    assert (found.energy_consumed, found.gpu_model) == (6.0, "2 x NVIDIA H100 80GB HBM3")
    log.close()


def test_attempts_add_up_in_the_first_process(tmp_path: Path) -> None:
    first = EnergyLog(str(tmp_path), CPU, writes=True)
    first.add([package(1.0)])
    first.add([package(1.5)])
    second = EnergyLog(str(tmp_path), CPU, writes=True)
    assert second.add([package(0.5)]).cpu_energy == 2.0
    other = EnergyLog(str(tmp_path), CPU, writes=False)
    assert other.add([package(0.5)]).cpu_energy == 0.5
    for log in (first, second, other):
        log.close()
    attempts = json.loads((tmp_path / "energy.json").read_text())
    assert [attempt["energy_consumed"] for attempt in attempts] == [1.5, 0.5]


class Machine:
    """Its package has used 1 kWh more each time that it is read."""

    def __init__(self, gpus: list[str]) -> None:
        assert gpus == []
        self.used = 0.0

    def __enter__(self) -> "Machine":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def read(self) -> Reading:
        self.used += 1.0
        return package(self.used)


def test_a_resumed_run_has_the_energy_of_all_its_attempts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(energy, "EnergyMeter", Machine)
    run = str(counting_run(tmp_path / "run"))
    output = tmp_path / "model"

    def stop(record: dict[str, Any]) -> None:
        if (record["kind"], record["step"]) == ("step", 5):
            raise InterruptedError

    with pytest.raises(InterruptedError):
        train(parse(TINY), run, str(output), on_record=stop)
    grid = {"country_iso_code": "DEU", "carbon_intensity": 0.5}
    found = train(parse({**TINY, **grid}), run, str(output))["energy"]
    # Steps 1 to 5, then again 4 to 8, and the end.
    assert (found["energy_consumed"], found["cpu_energy"], found["gpu_energy"]) == (11.0, 11.0, 0)
    assert (found["ram_energy"], found["country_iso_code"], found["emissions"]) == (UNMEASURED, "DEU", 5.5)
    records = read_metrics(output / "metrics.jsonl")
    assert [one["energy_consumed"] for one in records if one["kind"] == "step"] == [1, 2, 3, 6, 7, 8, 9, 10]
    assert json.loads((output / "result.json").read_text())["energy"] == found
    assert records[-1]["energy"]["emissions"] == 5.5


def test_a_training_here_is_unmeasured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(energy.EnergyMeter.__init__, "__defaults__", (None, tmp_path))
    found = train(parse(TINY), str(counting_run(tmp_path / "run")), str(tmp_path / "model"))["energy"]
    assert (found["energy_consumed"], found["cpu_energy"], found["emissions"]) == (UNMEASURED, UNMEASURED, None)
    assert found["duration"] > 0
