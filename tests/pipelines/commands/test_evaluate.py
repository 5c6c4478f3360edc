"""`winnow evaluate` and `winnow average` over a small run and a tiny model of it."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest
from sentencepiece import SentencePieceTrainer

from curation.tokens.encoders.load_tokenizer import load
from curation.tokens.shards import TokenData
from pipelines.evaluate import RunTokenizer
from tests.runs import winnow_here
from tests.training.evaluate.trained_runs import CHECKPOINTS
from tests.training.runs import counting_run
from training.config.parse import parse
from training.start import train


@pytest.fixture(scope="module")
def model(finished_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("evaluate") / "model"
    train(parse({**CHECKPOINTS, "keep_checkpoints": 2, "validation_rows": 8}), str(finished_run / "run"), str(output))
    return output


def asked(*arguments: str | Path) -> list[dict[str, Any]]:
    done = winnow_here("evaluate", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_losses_of_all_checkpoints(model: Path) -> None:
    found = asked(model, "--checkpoints")
    assert [one["step"] for one in found] == [6, 8]
    result = json.loads((model / "result.json").read_text())
    web = found[1]["losses"]["validation"]["web"]
    assert web["loss"] == pytest.approx(result["validation_loss"], abs=1e-5)
    assert web["bits_per_byte"] == pytest.approx(result["bits_per_byte"], abs=1e-5)
    assert found[1]["losses"]["gap"]["web"] == pytest.approx(web["loss"] - found[1]["losses"]["train"]["web"]["loss"])
    file = model / "evaluations/step_6.json"
    assert {"file": str(file), **json.loads(file.read_text())} == found[0]
    assert asked(model / "checkpoints/step_6") == found[:1]


def test_a_model_that_several_processes_shared(model: Path, tmp_path: Path) -> None:
    """One process has all of it."""
    other = Path(shutil.copytree(model, tmp_path / "model"))
    record = json.loads((other / "config.json").read_text())
    record["config"]["parallel"]["tensor"] = 4
    (other / "config.json").write_text(json.dumps(record))
    assert asked(other)[0]["losses"] == asked(model)[0]["losses"]


def test_everything_else(model: Path, tmp_path: Path) -> None:
    own = tmp_path / "mine.jsonl"
    own.write_text('{"context": "the", "answer": " ship"}\n')
    options = ("--probes", "own", "--probes", own, "--exposure-bias", "--sharpness", "--rows", "4")
    (found,) = asked(model, *options)
    assert set(found) == {"file", "model", "step", "probes", "exposure_bias", "sharpness"}
    assert set(found["probes"]) == {"minimal_pairs", "cloze_facts", "arithmetic", "mine"}
    assert found["probes"]["mine"]["n"] == 1
    assert (found["exposure_bias"]["rows"], len(found["exposure_bias"]["free_running"])) == (4, 33)
    kept = json.loads((model / "evaluations/step_8.json").read_text())
    asked(model, "--probes", own)
    assert json.loads((model / "evaluations/step_8.json").read_text()) == kept  # and nothing of it is lost
    shown = winnow_here("evaluate", model, *options, "--losses")
    for text in (
        "step 8",
        "bits per byte",
        "exposure bias: ",
        "free-running",
        "sharpness: ",
        "cloze_facts",
        f"written to {model}/evaluations/step_8.json\n",
    ):
        assert text in shown.stdout


def test_the_mean_is_judged_by_the_same_command(model: Path, tmp_path: Path) -> None:
    done = winnow_here("average", model, "--last", "2", "--output", tmp_path / "mean")
    assert done.stdout == f"{tmp_path}/mean/checkpoints/step_8: the mean of steps 6, 8\n"
    (found,) = asked(tmp_path / "mean")
    first, second = asked(model, "--checkpoints")
    losses = [one["losses"]["validation"]["all"]["loss"] for one in (first, second, found)]
    assert losses[2] < losses[0]
    assert losses[2] != losses[1]


def test_tasks(model: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    pytest.importorskip("lm_eval", reason="the harness is not installed: the extra `evaluate`")
    datasets.config.HF_DATASETS_CACHE = tmp_path / "cache"
    data = tmp_path / "data.jsonl"
    data.write_text('{"q": "the", "a": ["ship", "sea"], "y": 0}\n{"q": "a", "a": ["red", "sea"], "y": 1}\n')
    task = {
        "task": "mine",
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(data)}},
        "test_split": "test",
        "output_type": "multiple_choice",
        "doc_to_text": "{{q}}",
        "doc_to_choice": "{{a}}",
        "doc_to_target": "y",
        "metadata": {"version": 2},
    }
    (tmp_path / "mine.yaml").write_text(json.dumps(task))
    (found,) = asked(model, "--tasks", tmp_path / "mine.yaml")
    assert (found["tasks"]["mine"]["version"], found["tasks"]["mine"]["n"]) == (2, 2)
    assert set(found["tasks"]["mine"]["metrics"]) == {"acc", "acc_norm"}
    assert "acc_norm" in winnow_here("evaluate", model, "--tasks", tmp_path / "mine.yaml").stdout


def test_what_is_refused(model: Path, finished_run: Path, tmp_path: Path) -> None:
    shutil.copytree(model, tmp_path / "moved")
    config = json.loads((model / "config.json").read_text())
    (tmp_path / "moved/config.json").write_text(json.dumps(config | {"path": str(tmp_path / "gone")}))
    others = counting_run(tmp_path / "others")
    for arguments, message in (
        (("evaluate", finished_run), "is neither a training nor one of its checkpoints"),
        (("evaluate", model, "--probes", tmp_path / "gone.jsonl"), "is no file of probes"),
        (("evaluate", tmp_path / "moved"), "gone is not the token data that"),
        (("evaluate", model, "--data", others), "others is not the token data that"),
        (("average", model, "--last", "5", "--output", tmp_path / "mean"), "give from 2 to that many"),
    ):
        done = winnow_here(*arguments)
        assert done.returncode == 2, arguments
        assert message in done.stderr
        assert done.stderr.count("error:") == 1
    assert asked(tmp_path / "moved", "--data", finished_run / "run")[0]["step"] == 8


@dataclass
class Facts:
    """What is read of token data."""

    tokenizer_path: str
    begin_of_text: int | None
    end_of_text: int


def test_the_tokenizer_of_a_run(finished_run: Path) -> None:
    own = RunTokenizer(TokenData.open(str(finished_run / "run")))
    assert (own.begin_of_text, own.end_of_text) == (None, 0)
    for text in ("", "the ship sails", " ä\n<|endoftext|>"):
        ids = own.ids(text)
        assert own.end_of_text not in ids
        assert own.text(ids) == text


def test_ids_beyond_a_sentence_piece_model_are_no_text(tmp_path: Path) -> None:
    lines = iter(["the harbour and the boats", "a town with three boats"] * 30)
    with (tmp_path / "tokenizer.model").open("wb") as model:
        SentencePieceTrainer.train(sentence_iterator=lines, model_writer=model, vocab_size=20, minloglevel=2)
    loaded = load(str(tmp_path / "tokenizer.model"), "<s>")
    assert loaded.vocabulary.begin_of_text == 1
    own = RunTokenizer(cast(TokenData, Facts(str(tmp_path / "tokenizer.model"), begin_of_text=1, end_of_text=2)))
    size = loaded.vocabulary.size
    assert own.text([*own.ids("the boats"), size, size + 7]) == own.text(own.ids("the boats"))
