"""The command `winnow compare` on small files: what it prints and refuses, with both models."""

import json
from pathlib import Path
from typing import Any

import pytest

from curation.core.errors import UserError
from pipelines.commands.compare import compare
from tests.curation.account.compare.texts import noise, style, write

SMALL = {"seeds": 2, "points": 2, "vocab_size": 300}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "style.jsonl", style(1, 40))
    write(tmp_path / "noise.jsonl", noise(2, 40))
    write(tmp_path / "clean.jsonl", style(3, 20))
    return tmp_path


def ask(folder: Path, **options: Any) -> None:
    runs = [f"{name}={folder / name}.jsonl" for name in ("noise", "style")]
    compare(runs=runs, heldout=[str(folder / "clean.jsonl")], **SMALL | options)


def test_the_answer_on_a_terminal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plot = folder / "own.png"
    ask(folder, plot=str(plot))
    shown = capsys.readouterr()
    assert "style has the least bits per byte (clean), and by more than noise" in shown.out
    assert f"plot: {plot}" in shown.out
    assert "draw 2 of 2: 8 of 8 models judged" in shown.err
    assert plot.stat().st_size > 10_000


def test_the_answer_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask(folder, as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert {run["name"] for run in found["runs"]} == {"noise", "style"}
    assert found["kinds"][0]["in_runs"] == 0
    assert {"run", "kind", "tokens", "bits_per_byte", "low", "high", "seeds"} == set(found["results"][0])
    assert any(one["run"] == "style" and one["bits_per_byte"] < -0.5 for one in found["differences"])


def test_a_decoder_judges_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = folder / "tiny.yaml"
    config.write_text(
        "model: {decoder: {layers: 1, width: 16, heads: 2, initial_deviation: 0.06}}\nsequence_length: 32\n"
        "batch_rows: 2\noptimizer: {adamw: {learning_rate: 1.0e-2}}\n"
    )
    ask(folder, model="decoder", config=str(config), points=1, as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert found["model"] == "decoder"
    apart = next(one for one in found["differences"] if (one["run"], one["kind"]) == ("style", "clean"))
    assert apart["bits_per_byte"] < 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"plot": "x.jpg"}, "a name that ends in .png or .svg", id="plot"),
        pytest.param({"config": "own.yaml"}, "--train is the config of a decoder; add --model decoder", id="config"),
        pytest.param({"model": "decoder", "config": "dmeo"}, "recipe named 'dmeo' is shipped", id="decoder's config"),
        pytest.param({"heldout": ["none.jsonl"]}, "no input matches", id="held-out"),
        pytest.param({"runs": ["one.jsonl"]}, "give two runs or more", id="one run"),
    ],
)
def test_what_is_refused(folder: Path, options: dict[str, Any], message: str) -> None:
    usual = {
        "runs": [str(folder / "style.jsonl"), str(folder / "noise.jsonl")],
        "heldout": [str(folder / "clean.jsonl")],
    }
    with pytest.raises(UserError, match=message):
        compare(**{**usual, **options})
