"""A stage's attempts add up; GPUs count where the stage works on them."""

import json
from pathlib import Path

import pytest

from curation.core.energy import KWH, UNMEASURED, Meter, Reading
from curation.core.manifest import read_manifest
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from curation.engine.run import stage_energy
from curation.engine.run.guards import GuardError
from curation.engine.run.stage_energy import ENERGY, StageEnergy
from tests.curation.engine.inputs import write_sources

CPU = Meter("cpu", "one/intel-rapl:0", "RAPL")
GPU = Meter("gpu", "GPU-a", "NVML's counter", "NVIDIA H100 80GB HBM3")
RAM = Meter("ram", "one", UNMEASURED)


class Counting(Inline):
    """Each reading is 1 kWh after the one before."""

    def __init__(self) -> None:
        self.read = 0

    def energy(self) -> Reading:
        self.read += 1
        return {CPU: KWH * self.read, GPU: 2 * KWH * self.read, RAM: None}


def test_attempts_that_failed_count_too(tmp_path: Path) -> None:
    executor = Counting()
    with pytest.raises(GuardError), StageEnergy(str(tmp_path), executor, gpus=False):
        raise GuardError("half of it fails")
    left = json.loads((tmp_path / ENERGY).read_text())
    assert (left["energy_consumed"], left["gpu_energy"], left["ram_energy"]) == (1.0, 0, UNMEASURED)
    with StageEnergy(str(tmp_path), executor, gpus=True) as energy:
        found = energy.total()
        energy.forget()
    assert (found.cpu_energy, found.gpu_energy, found.energy_consumed) == (2.0, 2.0, 4.0)
    assert found.duration >= left["duration"]
    assert not (tmp_path / ENERGY).exists()


def test_an_attempt_that_is_killed_has_left_its_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage_energy, "EVERY", 0.01)
    with StageEnergy(str(tmp_path), Counting(), gpus=False):
        while not (tmp_path / ENERGY).exists():
            pass
        left = json.loads((tmp_path / ENERGY).read_text())
    assert left["energy_consumed"] >= 1.0  # one reading after the first
    assert left["gpu_energy"] == 0


def test_each_manifest_says_what_its_stage_used_and_no_other_byte_changes(tmp_path: Path) -> None:
    recipe = parse(write_sources(tmp_path), "m.yaml")
    run = runner.curate(recipe, str(tmp_path / "measured"), Counting())
    for stage in run.stages:
        sealed = read_manifest(str(tmp_path / "measured" / stage.folder))
        assert sealed is not None
        assert sealed.energy is not None
        assert (sealed.energy.cpu_energy, sealed.energy.gpu_energy) == (1.0, 0)
        assert sealed.energy.duration >= sealed.wall_seconds - 0.1
    runner.curate(recipe, str(tmp_path / "unmeasured"), Inline())
    assert contents(tmp_path / "measured") == contents(tmp_path / "unmeasured")


def contents(run: Path) -> dict[str, bytes]:
    """Of all files of data; a commit has the seconds of its unit, and a manifest its figures."""
    found = (path for path in run.rglob("*") if path.is_file())
    apart = (".lock", "_manifest.json")
    return {
        str(path.relative_to(run)): path.read_bytes()
        for path in found
        if path.name not in apart and not path.name.startswith("group-")
    }


def test_without_ray_this_machine_is_read() -> None:
    with Inline() as executor:
        assert {meter.part for meter in executor.energy()} >= {"cpu", "ram"}
