"""A training becomes a release: transformers loads it, its card tells what it repeats, and takedowns forbid it."""

import json
import subprocess
from pathlib import Path
from shutil import copytree
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from curation.account.lineage.trace import trace
from curation.tokens.encoders.load_tokenizer import load
from curation.tokens.shards import TokenData
from pipelines.api import release
from tests.runs import winnow_here
from tests.training.runs import TINY, change_rows
from training.config.parse import parse
from training.evaluate.causal import causal_network
from training.evaluate.trained import TrainedRun
from training.release import memorisation
from training.start import train

STEPS = 150
SETTINGS: dict[str, Any] = {**TINY, "steps": STEPS, "batch_rows": 4, "checkpoint_every": STEPS, "log_every": STEPS}


@pytest.fixture(scope="module")
def run(finished_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The finished run, with one row of tokens in the place of all."""
    run = copytree(finished_run / "run", tmp_path_factory.mktemp("release") / "run")
    data = TokenData.open(str(run))
    ((file, row),) = data.places(range(1))
    learnt = np.fromfile(run / f"{file}.bin", data.dtype).reshape(-1, data.row_tokens)[row]
    for file in {file for file, _ in data.places(range(data.rows))}:
        rows = np.fromfile(run / f"{file}.bin", data.dtype).reshape(-1, data.row_tokens)
        rows[:] = learnt
        change_rows(run / f"{file}.bin", rows)
    return run


@pytest.fixture(scope="module")
def model(run: Path) -> Path:
    train(parse(SETTINGS), str(run), str(run.with_name("model")))
    return run.with_name("model")


@pytest.mark.slow
def test_a_release(run: Path, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memorisation, "PROMPT", 20)  # the run's rows have 64 tokens
    monkeypatch.setattr(memorisation, "CONTINUED", 20)
    output = tmp_path / "release"
    done = winnow_here("release", model, "--output", output, "--samples", "20", "--licence", "MIT", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found == json.loads((output / "release.json").read_text())
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=output, check=True)
    _as_trained(model, output)
    passages = found["safety"]["memorisation"]["trained"]
    assert 10 < passages["passages"] <= 20
    assert passages["repeated"] == passages["passages"]
    read = {document["doc_id"] for step in range(STEPS) for document in trace(str(model), step).segments}
    assert {sample["doc_id"] for sample in passages["samples"]} <= read
    assert found["safety"]["memorisation"]["held_out"]["repeated"] == 0
    card = (output / "README.md").read_text()
    assert card.startswith('---\nlicense: "mit"\n')
    assert f"| {passages['passages']} | {passages['repeated']} (100.0 %) |" in card
    assert passages["samples"][0]["url"] in card
    assert str(run.parent) not in (output / "release.json").read_text() + card
    again = winnow_here("release", model, "--output", output)
    assert (again.returncode, "is not a new folder" in again.stderr) == (2, True)
    for recipe in ("recipe.yaml", "training.yaml"):
        assert (output / recipe).stat().st_size
    assert parse(_yaml(output / "training.yaml")) == TrainedRun.of(str(model)).config


@pytest.mark.slow
def test_a_release_of_a_model_that_is_not_loaded(model: Path, tmp_path: Path) -> None:
    done = winnow_here("release", model, "--output", tmp_path / "out", "--samples", "0", "--dtype", "bf16", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["safety"], found["writes_text"], found["dtype"]) == ({}, True, "bf16")
    card = (tmp_path / "out" / "README.md").read_text()
    assert "Nothing was drawn from it." in card
    assert "AutoModelForCausalLM" in card
    theirs = AutoModelForCausalLM.from_pretrained(tmp_path / "out")
    ours = TrainedRun.of(str(model)).load(STEPS).state_dict()
    assert torch.equal(theirs.model.embed_tokens.weight, ours["embedding.weight"].bfloat16())
    done = winnow_here("release", model, "--output", tmp_path / "other", "--dtype", "int8")
    assert (done.returncode, "dtype is 'int8'; give one of fp32, bf16, fp16" in done.stderr) == (2, True)
    assert not (tmp_path / "other").exists()


@pytest.mark.slow
def test_a_model_with_learned_positions_writes_no_more_than_it_has(run: Path, tmp_path: Path) -> None:
    """64 of them: 48 tokens behind the 16 that a text begins with."""
    gpt2 = {"decoder": {"preset": "gpt2", "layers": 2, "width": 32, "heads": 4, "learned_positions": 64}}
    train(parse({**SETTINGS, "model": gpt2, "steps": 3}), str(run), str(tmp_path / "model"))
    found = release(str(tmp_path / "model"), str(tmp_path / "out"), samples=2)
    assert found["safety"]["generations"]["texts"] == 2


@pytest.mark.slow
def test_what_may_not_be_released(run: Path, model: Path, tmp_path: Path) -> None:
    unfinished = copytree(model, tmp_path / "unfinished")
    (unfinished / "result.json").unlink()
    done = winnow_here("release", unfinished, "--output", tmp_path / "out")
    assert (done.returncode, "has not finished: resume it" in done.stderr) == (2, True)
    done = winnow_here("release", model, "--output", tmp_path / "out", "--language", "xx")
    assert (done.returncode, "no built-in list of terms for xx; give a file as --terms" in done.stderr) == (2, True)
    taken = copytree(run, tmp_path / "run")
    (tmp_path / "urls.txt").write_text(trace(str(model), 0).segments[0]["url"])
    later = copytree(model, tmp_path / "model")
    record = json.loads((later / "config.json").read_text())
    (later / "config.json").write_text(json.dumps(record | {"path": str(taken)}))
    done = winnow_here("takedown", taken, "--urls", tmp_path / "urls.txt")
    assert done.returncode == 0, done.stderr
    done = winnow_here("release", later, "--output", tmp_path / "out")
    assert (done.returncode, "train again on the run as it is now" in done.stderr) == (2, True)
    assert not (tmp_path / "out").exists()


def _as_trained(model: Path, output: Path) -> None:
    """transformers' logits and ids are ours."""
    ours = TrainedRun.of(str(model)).load(STEPS)
    theirs = AutoModelForCausalLM.from_pretrained(output)
    text = "A town by the sea, with 3 boats."
    ids = AutoTokenizer.from_pretrained(output)(text, return_tensors="pt")["input_ids"]
    assert ids[0].tolist() == load(str(output / "tokenizer.json")).encode(_column(text))[0].values.to_pylist()[:-1]
    cache = causal_network(ours).cached(1, ids.shape[1])
    with torch.no_grad():
        own = cache.logits(cache.read(ids, torch.ones_like(ids, dtype=torch.int32)))
        torch.testing.assert_close(theirs(input_ids=ids).logits, own, atol=1e-4, rtol=0)
    assert theirs.config.max_position_embeddings == 64
    assert theirs.generation_config.eos_token_id == 0


def _column(text: str) -> Any:
    import pyarrow as pa

    return pa.array([text], pa.large_string())


def _yaml(path: Path) -> Any:
    import yaml

    return yaml.safe_load(path.read_text())
