"""Scores: those of the library's pipeline, the same bits in any company, without a network; what cannot be loaded."""

import json
import random
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from curation.core.errors import InputError
from curation.models.sequence_classifier.folder import opened
from curation.models.sequence_classifier.scoring import ON_GPU, Batching, SequenceScorer
from tests.curation.models.sequence_classifier.tiny import tiny_classifier, tiny_decoder

WORDS = "the people of town have to read and be kind whales sail deep sea ; 12 ships follow !".split()
RNG = random.Random(0)
TEXTS = [" ".join(RNG.choices(WORDS, k=RNG.choice([1, 9, 61, 62, 63, 200, 600]))) for _ in range(60)]
ARRAY = pa.array([*TEXTS, "the " * 510, "the " * 511], pa.large_string())
MODELS: dict[str, Callable[[Path], str]] = {
    "regression": tiny_classifier,
    "one label": lambda folder: tiny_classifier(folder, problem_type=None),
    "three labels": lambda folder: tiny_classifier(folder, labels=("a", "b", "c")),
    "decoder": tiny_decoder,
}


@pytest.fixture(scope="module", params=MODELS.values(), ids=MODELS)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    path: str = request.param(tmp_path_factory.mktemp("model"))
    return path


def of_pipeline(model: str, texts: list[str]) -> npt.NDArray[np.float64]:
    """float64[N, L] of the library's own pipeline, a text at a time."""
    pipeline: Any = transformers.pipeline("text-classification", model, device="cpu", top_k=None)
    results = [{one["label"]: one["score"] for one in result} for result in pipeline(texts, truncation=True)]
    return np.array([[result[label] for label in opened(model).labels] for result in results])


def test_the_pipelines_scores(model: str) -> None:
    outputs = SequenceScorer(opened(model), gpu=False).outputs(ARRAY, 512)
    assert outputs == pytest.approx(of_pipeline(model, ARRAY.to_pylist()), abs=1e-5)
    assert outputs.std(axis=0).min() > 0.01


def test_a_texts_scores_are_the_same_bits_in_any_company(model: str) -> None:
    scorer = SequenceScorer(opened(model), gpu=False)
    together = scorer.outputs(ARRAY, 512)
    order = np.array(random.Random(1).sample(range(len(ARRAY)), len(ARRAY)))
    assert np.array_equal(scorer.outputs(ARRAY.take(pa.array(order)), 512), together[order])
    for row in range(len(ARRAY)):
        assert np.array_equal(scorer.outputs(ARRAY.slice(row, 1), 512), together[row : row + 1])


@pytest.mark.parametrize("batching", [ON_GPU, Batching(8, 1024)], ids=["as on a GPU", "small"])
def test_batches_change_the_last_bits_only(model: str, batching: Batching) -> None:
    scorer = SequenceScorer(opened(model), gpu=False, batching=batching)
    together = scorer.outputs(ARRAY, 512)
    order = np.array(random.Random(1).sample(range(len(ARRAY)), len(ARRAY)))
    assert scorer.outputs(ARRAY.take(pa.array(order)), 512) == pytest.approx(together[order], abs=2e-6)
    assert scorer.outputs(ARRAY.slice(7, 1), 512) == pytest.approx(together[7:8], abs=2e-6)
    assert together == pytest.approx(SequenceScorer(opened(model), gpu=False).outputs(ARRAY, 512), abs=1e-4)


def test_raw_values_are_those_before_the_sigmoid(tmp_path: Path) -> None:
    scorer = SequenceScorer(opened(tiny_classifier(tmp_path, problem_type=None)), gpu=False)
    values, shares = (scorer.outputs(ARRAY, 512, raw=raw) for raw in (True, False))
    assert shares == pytest.approx(1 / (1 + np.exp(-values)))


def test_later_tokens_are_not_read_and_texts_without_a_token_have_no_score(tmp_path: Path) -> None:
    scorer = SequenceScorer(opened(tiny_classifier(tmp_path)), gpu=False)
    texts = ["the sea " * 3, "the sea the sea the sea people", "", None, " \n", "\0"]
    outputs = scorer.outputs(pa.array(texts, pa.large_string()), 8)[:, 0]  # six tokens between the special ones
    assert outputs[0] == outputs[1]
    assert np.isnan(outputs[2:]).all()
    assert scorer.tokens == 16


def test_bytes_that_are_not_utf8_are_replacement_characters(tmp_path: Path) -> None:
    scorer = SequenceScorer(opened(tiny_classifier(tmp_path)), gpu=False)
    broken = pa.array([b"the sea \xff"], pa.large_binary()).view(pa.large_string())
    assert np.array_equal(scorer.outputs(broken, 512), scorer.outputs(pa.array(["the sea \ufffd"]), 512))


def test_of_a_long_text_only_the_beginning_is_read(tmp_path: Path) -> None:
    scorer = SequenceScorer(opened(tiny_classifier(tmp_path)), gpu=False)
    texts = pa.array(["the sea" + " " * 2000 + "whales", "the sea"])
    outputs = scorer.outputs(texts, 16)
    assert outputs[0] == outputs[1]


def test_nothing_is_asked_of_a_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refused)
    assert SequenceScorer(opened(tiny_classifier(tmp_path)), gpu=False).device == "cpu"


def without_head(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    del weights["classifier.weight"], weights["classifier.bias"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def of_another_size(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"intermediate_size": 65}))


def of_an_unknown_kind(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"model_type": "brt"}))


@pytest.mark.parametrize(
    ("breaks", "message"),
    [
        (without_head, "lacks 2 of the weights of a BertForSequenceClassification, such as classifier.bias; give the"),
        (of_another_size, "cannot be loaded by transformers: |lacks 6 of the weights"),
        (of_an_unknown_kind, "cannot be loaded by transformers: .*brt"),
        (lambda folder: (folder / "tokenizer.json").write_text("{}"), "cannot be loaded by transformers: "),
    ],
    ids=["no head", "another size", "unknown kind", "no tokenizer"],
)
def test_weights_that_do_not_fit(tmp_path: Path, breaks: Callable[[Path], object], message: str) -> None:
    model = tiny_classifier(tmp_path)
    breaks(tmp_path)
    with pytest.raises(InputError, match=message) as caught:
        SequenceScorer(opened(model), gpu=False)
    assert "\n" not in str(caught.value)


def test_batches_need_a_padding_token(tmp_path: Path) -> None:
    model = tiny_classifier(tmp_path)
    path = tmp_path / "tokenizer_config.json"
    path.write_text(json.dumps({k: v for k, v in json.loads(path.read_text()).items() if k != "pad_token"}))
    assert SequenceScorer(opened(model), gpu=False).outputs(ARRAY.slice(0, 2), 512).shape == (2, 1)
    with pytest.raises(InputError, match="has no padding token, which a GPU's batches need"):
        SequenceScorer(opened(model), gpu=False, batching=ON_GPU)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_node_without_a_gpu(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="PyTorch finds none on this node; set num_gpus: 0"):
        SequenceScorer(opened(tiny_classifier(tmp_path)), gpu=True)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_on_a_gpu_the_scores_are_close_and_the_same_bits_in_any_company(model: str) -> None:
    scorer = SequenceScorer(opened(model), gpu=True)
    together = scorer.outputs(ARRAY, 512)
    order = np.array(random.Random(1).sample(range(len(ARRAY)), len(ARRAY)))
    assert np.array_equal(scorer.outputs(ARRAY.take(pa.array(order)), 512), together[order])
    for row in range(len(ARRAY)):
        assert np.array_equal(scorer.outputs(ARRAY.slice(row, 1), 512), together[row : row + 1])
    assert together == pytest.approx(SequenceScorer(opened(model), gpu=False).outputs(ARRAY, 512), abs=0.2)
