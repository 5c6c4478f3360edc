"""`winnow scaling`: from a config to a ladder, and from results to a law and a prediction."""

import json
from pathlib import Path

import pytest
import yaml

from tests.runs import winnow_here
from training.config.parse import load
from training.plan.ladder import sized
from training.plan.laws import BESIROGLU


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """Nine trainings that ended as the refit says."""
    folders = []
    for size in (1e7, 4e7, 16e7):
        for ratio in (5, 20, 80):
            folder = tmp_path / f"run_{size:.0f}_{ratio}"
            folder.mkdir()
            write(folder, parameters=size, tokens=size * ratio, loss=BESIROGLU.loss(size, size * ratio))
            folders.append(folder)
    return folders


def write(folder: Path, *, parameters: float, tokens: float, loss: float, data: str = "one") -> None:
    result = {"validation_loss": loss, "parameters": int(parameters), "tokens": int(tokens), "data_fingerprint": data}
    result |= {"steps": 1, "unigram_entropy": 9.0, "world_size": 1, "data": "/data"}
    (folder / "result.json").write_text(json.dumps(result))


def test_optimum() -> None:
    done = winnow_here("scaling", "optimum", "5.76e23")
    assert done.returncode == 0, done.stderr
    assert "Besiroglu et al. 2024      5.76e+23      72.2 B  1.33 T" in done.stdout
    told = json.loads(winnow_here("scaling", "optimum", "5.76e23", "--served", "1e12", "--json").stdout)
    assert told["Besiroglu et al. 2024"]["served_parameters"] == pytest.approx(57.0e9, rel=0.01)
    assert winnow_here("scaling", "optimum", "0").returncode == 2


def test_fit(runs: list[Path]) -> None:
    done = winnow_here("scaling", "fit", *runs, "--bootstrap", "40", "--unique", "1e9")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("law of 9 runs: L = E + A / parameters^alpha + B / tokens^beta\n")
    assert "E, irreducible loss (nats per token): 1.8" in done.stdout
    assert "loss with repeats" in done.stdout
    told = json.loads(winnow_here("scaling", "fit", *runs, "--bootstrap", "40", "--json").stdout)
    assert told["law"]["model_exponent"] == pytest.approx(0.3478, abs=0.01)
    assert told["intervals"].keys() == told["law"].keys()
    assert [row["flops"] for row in told["optima"]] == [1e20, 1e21, 1e22]


def test_from_a_config_to_a_prediction(tmp_path: Path) -> None:
    folder = tmp_path / "ladder"
    command = ("scaling", "ladder", "demo", "model.heads=8", "model.vocabulary=512", "sequence_length=256")
    done = winnow_here(*command, "--share", "50", "--output", folder)
    assert done.returncode == 0, done.stderr
    assert f"then: winnow scaling predict {folder}/large.yaml {folder}/rung_*/" in done.stdout
    configs = sorted(folder.glob("rung_*.yaml"))
    assert len(configs) == 9
    for path in configs:
        rung = sized(load(path.read_text(), path.name))
        run = path.with_suffix("")
        run.mkdir()
        loss = BESIROGLU.loss(rung.parameters, rung.tokens)
        write(run, parameters=rung.parameters, tokens=rung.tokens, loss=loss)
    large = sized(load((folder / "large.yaml").read_text(), "large"))
    assert yaml.safe_load((folder / "large.yaml").read_text())["model"]["decoder"]["heads"] == 8
    trained = [path.with_suffix("") for path in configs]
    told = json.loads(winnow_here("scaling", "predict", folder / "large.yaml", *trained, "--json").stdout)
    assert told["parameters"] == large.parameters
    assert told["loss"] == pytest.approx(BESIROGLU.loss(large.parameters, large.tokens), rel=0.01)
    assert "a loss of " in winnow_here("scaling", "predict", folder / "large.yaml", *trained).stdout
    again = winnow_here(*command, "--share", "50", "--output", folder)
    assert (again.returncode, "holds a ladder" in again.stderr) == (2, True)


def test_what_is_refused(runs: list[Path], tmp_path: Path) -> None:
    for number, name in enumerate(("other", "diverged", "damaged", "foreign", "none")):
        (tmp_path / name).mkdir()
        write(tmp_path / name, parameters=1e7, tokens=1e9 + number, loss=3.0, data="two" if name == "other" else "one")
    write(tmp_path / "diverged", parameters=1e7, tokens=1e9, loss=float("nan"))
    (tmp_path / "damaged" / "result.json").write_text("{")
    (tmp_path / "foreign" / "result.json").write_text("{}")
    (tmp_path / "none" / "result.json").unlink()
    for given, message in (
        (runs[:2], "2 runs do not determine the 5 unknowns of a law"),
        ([*runs, runs[0]], "a run is given twice"),
        ([*runs, tmp_path / "other"], "are trainings on different data"),
        ([*runs, tmp_path / "diverged"], "ended with a validation loss of nan"),
        ([*runs, tmp_path / "damaged"], "result.json is damaged: not JSON: "),
        ([*runs, tmp_path / "foreign"], "result.json is damaged: data: expected a value, got nothing; restore it"),
        ([*runs, tmp_path / "none"], "has no result.json: give the --output of a `winnow train` that has finished"),
    ):
        done = winnow_here("scaling", "fit", *given)
        assert done.returncode == 2
        assert message in done.stderr
        assert done.stderr.count("\n") == 1
