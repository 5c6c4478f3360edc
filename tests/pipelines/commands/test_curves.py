"""`winnow curves`: of several runs in text, as JSON and as a picture."""

import json
from pathlib import Path

import pytest

from tests.runs import winnow_here


@pytest.fixture
def run(tmp_path: Path) -> Path:
    record = {"kind": "step", "step": 1, "loss": 5.0, "learning_rate": 0.5, "gradient_norm": 2, "tokens_per_second": 9}
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "metrics.jsonl").write_text(json.dumps(record) + "\n")
    return tmp_path / "one"


def test_curves(run: Path) -> None:
    plot = run.parent / "own.png"
    done = winnow_here("curves", run, run.parent / "two", "--plot", plot)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("one: 1 update\ntwo: 1 update\nloss (nats per label)\n  one: 5 → 5")
    assert f"plot: {plot}" in done.stdout
    assert plot.read_bytes().startswith(b"\x89PNG")
    (found,) = json.loads(winnow_here("curves", run, "--json").stdout)
    assert found["run"] == str(run)
    assert found["curves"]["loss"] == {"steps": [1], "values": [5.0]}
    assert found["resumed"] == []


def test_what_is_refused(run: Path) -> None:
    for arguments, message in (
        ((run.parent,), "is no training: it has no metrics.jsonl"),
        ((run, "--plot", "own.jpg"), "expected a name that ends in .png or .svg"),
    ):
        done = winnow_here("curves", *arguments)
        assert done.returncode == 2
        assert message in done.stderr
