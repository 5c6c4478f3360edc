"""Folders of models: what their files say, and what each missing, damaged or other file is refused with."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from curation.core.errors import InputError
from curation.core.model_folder import INDEX
from curation.models.sequence_classifier.folder import Output, opened
from tests.curation.models.sequence_classifier.tiny import tiny_classifier, tiny_decoder


def changed(folder: Path, name: str = "config.json", **fields: Any) -> None:
    path = folder / name
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def test_a_classifier_is_described_by_its_files(tmp_path: Path) -> None:
    model = opened(tiny_classifier(tmp_path / "m", labels=("poor", "good")))
    assert (model.architecture, model.labels, model.most_tokens) == (
        "BertForSequenceClassification",
        ("poor", "good"),
        512,
    )
    names = ["config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors"]
    assert [Path(file).name for file in model.files] == names
    assert model.weight_bytes == (tmp_path / "m" / "model.safetensors").stat().st_size
    assert opened(model.files) == model


def test_labels_that_are_not_named_are_numbered(tmp_path: Path) -> None:
    assert opened(tiny_decoder(tmp_path)).labels == ("LABEL_0", "LABEL_1", "LABEL_2")
    changed(tmp_path, id2label=None)
    assert opened(str(tmp_path)).labels == ("LABEL_0", "LABEL_1")


@pytest.mark.parametrize(
    ("labels", "problem", "output"),
    [
        pytest.param(("a",), "regression", "value", id="regression"),
        pytest.param(("a",), None, "sigmoid", id="one"),
        pytest.param(("a", "b"), None, "softmax", id="several"),
        pytest.param(("a", "b"), "single_label_classification", "softmax", id="single label"),
        pytest.param(("a", "b"), "multi_label_classification", "sigmoid", id="multi-label"),
        pytest.param(("a", "b"), "regression", "value", id="several values"),
    ],
)
def test_what_becomes_of_the_numbers(
    tmp_path: Path, labels: tuple[str, ...], problem: str | None, output: Output
) -> None:
    assert opened(tiny_classifier(tmp_path, labels=labels, problem_type=problem)).output == output


def shortened(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])


def indexed(folder: Path, name: str) -> None:
    (folder / INDEX).write_text(json.dumps({"weight_map": {"a": name}}))


def in_shards(folder: Path) -> None:
    (folder / INDEX).write_text(json.dumps({"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}))
    (folder / "model.safetensors").rename(folder / "model-1.safetensors")


BROKEN: dict[str, Callable[[Path], object]] = {
    "has no config.json, so it holds no model": lambda m: (m / "config.json").unlink(),
    "config.json is damaged: Expecting value": lambda m: (m / "config.json").write_text(""),
    "config.json is damaged: it holds no fields": lambda m: (m / "config.json").write_text("[]"),
    "config.json is damaged: its labels are": lambda m: changed(m, id2label={"1": "a"}),
    "holds a BertForMaskedLM, which does not classify": lambda m: changed(m, architectures=["BertForMaskedLM"]),
    "holds a model without a name": lambda m: changed(m, architectures=None),
    "needs Python code of its own": lambda m: changed(m, auto_map={"AutoConfig": "own.Config"}),
    "has no tokenizer.json; save the model's tokenizer": lambda m: (m / "tokenizer.json").unlink(),
    "tokenizer.json is damaged": lambda m: (m / "tokenizer.json").write_text("{"),
    "has no model.safetensors; copy the model again, or": lambda m: (m / "model.safetensors").unlink(),
    "model.safetensors is damaged: its size": shortened,
    "model.safetensors is damaged: it is cut short": lambda m: (m / "model.safetensors").write_bytes(b"PK\3\4 pickled"),
    "has no model-2.safetensors": in_shards,
    "index.json is damaged: it names no files": lambda m: (m / INDEX).write_text('{"metadata": {}}'),
    "names '../model.safetensors', which is no safetensors": lambda m: indexed(m, "../model.safetensors"),
    "names '/etc/passwd', which is no safetensors": lambda m: indexed(m, "/etc/passwd"),
    "names '', which is no safetensors": lambda m: indexed(m, ""),
    "index.json is damaged: it names no files;": lambda m: (m / INDEX).write_text('{"weight_map": {"a": 7}}'),
    "num_hidden_layers is 1000000000, which is no size": lambda m: changed(m, num_hidden_layers=10**9),
    "hidden_size is 1099511627776, which is no size": lambda m: changed(m, hidden_size=2**40),
    "num_hidden_layers is -2, which is no size": lambda m: changed(m, num_hidden_layers=-2),
    "hidden_dropout_prob is nan, which is no size": lambda m: changed(m, hidden_dropout_prob=float("nan")),
    "holds a model without a name, which": lambda m: changed(m, architectures=7),
    "config.json is damaged: maximum recursion": lambda m: (m / "config.json").write_text("[" * 100_000),
}


@pytest.mark.parametrize(("message", "breaks"), BROKEN.items(), ids=BROKEN)
def test_a_broken_folder_is_refused_in_one_line(tmp_path: Path, message: str, breaks: Callable[[Path], object]) -> None:
    model = tiny_classifier(tmp_path)
    breaks(tmp_path)
    with pytest.raises(InputError, match=message) as caught:
        opened(model)
    assert "\n" not in str(caught.value)


def test_a_folder_that_is_not_there_or_not_on_disk(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for model in (str(tmp_path / "nowhere"), str(tmp_path / "file"), "HuggingFaceFW/fineweb-edu-classifier"):
        with pytest.raises(InputError, match=r"no model's folder at .*: nothing is downloaded"):
            opened(model)
    with pytest.raises(InputError, match="s3://b/model is in a store; copy the model's folder to a disk"):
        opened("s3://b/model")
