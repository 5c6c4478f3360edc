"""Llama folders: the logits of transformers, one file or several, the same bytes back, and what cannot be read."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from curation.core.errors import InputError
from tests.training.models.made import SMALL, example_of, model_of
from training.batch import Batch, Kind
from training.models.decoder import Decoder
from training.models.decoder.huggingface import layout
from training.models.folder_writer import WholeWeights, export
from training.models.hugging_face import FolderWeights, read_folder

EXAMPLE = example_of(Kind.PLAIN, segments=np.ones(12, np.int32))
IDS = torch.from_numpy(EXAMPLE.inputs)[None]
BATCH = Batch.of([EXAMPLE])
DECODER = Decoder(**SMALL, kv_heads=2)


def read(folder: Path) -> FolderWeights:
    return read_folder(str(folder), layout)


def tensors_of(found: FolderWeights) -> dict[str, torch.Tensor]:
    return {name: found.box(name, (0,) * len(shape), shape) for name, shape in found.shapes.items()}


def llama(**options: Any) -> LlamaForCausalLM:
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4}
    options = {"num_key_value_heads": 2} | options
    return LlamaForCausalLM(LlamaConfig(vocab_size=50, initializer_range=0.5, **sizes | options))


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, id="own head"),
        pytest.param({"tie_word_embeddings": True, "rope_theta": 500.0, "rms_norm_eps": 0.1}, id="tied"),
        pytest.param({"head_dim": 6, "num_key_value_heads": 4}, id="narrow heads"),
    ],
)
def test_logits_are_those_of_transformers(options: dict[str, Any], tmp_path: Path) -> None:
    theirs = llama(**options)
    theirs.save_pretrained(tmp_path)
    found = read(tmp_path)
    decoder = Decoder(**found.options)
    ours = model_of(decoder)
    ours.load_state_dict(tensors_of(found))
    with torch.no_grad():
        torch.testing.assert_close(ours.logits(BATCH), theirs(IDS).logits, rtol=0, atol=1e-4)
        export(WholeWeights.of(ours), decoder, str(tmp_path / "exported"))
        again = LlamaForCausalLM.from_pretrained(tmp_path / "exported")
        torch.testing.assert_close(again(IDS).logits, theirs(IDS).logits, rtol=0, atol=1e-6)


def test_export_and_import_give_the_same_bits(tmp_path: Path) -> None:
    model = model_of(DECODER)
    export(WholeWeights.of(model), DECODER, str(tmp_path))
    found = read(tmp_path)
    tensors = tensors_of(found)
    assert Decoder(**found.options) == Decoder(**SMALL, kv_heads=2, vocabulary=50)
    assert tensors.keys() == model.state_dict().keys()
    assert all(torch.equal(tensors[name], own) for name, own in model.state_dict().items())


def test_several_files_and_older_configs(tmp_path: Path) -> None:
    theirs = llama()
    theirs.save_pretrained(tmp_path, max_shard_size="10KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 1
    config = json.loads((tmp_path / "config.json").read_text())
    config |= {"rope_theta": config.pop("rope_parameters")["rope_theta"], "rope_scaling": None}
    del config["num_key_value_heads"], config["head_dim"]
    (tmp_path / "config.json").write_text(json.dumps(config | {"num_key_value_heads": 2}))
    found = read(tmp_path)
    assert found.options["head_width"] == 4
    assert torch.equal(
        tensors_of(found)["blocks.1.feed_forward.up.weight"], theirs.state_dict()["model.layers.1.mlp.up_proj.weight"]
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(
            {"model_type": "gpt2"}, "model_type is 'gpt2' in config.json; only models with 'llama'", id="type"
        ),
        pytest.param({"attention_bias": True}, "attention_bias is True", id="biases"),
        pytest.param({"rope_parameters": {"rope_type": "llama3"}}, "rope_type is 'llama3'", id="scaled positions"),
        pytest.param({"rope_parameters": {"type": "linear", "factor": 4}}, "^type is 'linear'", id="and as they were"),
        pytest.param({"hidden_size": None}, "has no vocab_size|has no hidden_size", id="no width"),
        pytest.param({"num_hidden_layers": 3}, "has no model.layers.2.input_layernorm.weight", id="a layer is missing"),
    ],
)
def test_what_is_no_such_model(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    export(WholeWeights.of(model_of(DECODER)), DECODER, str(tmp_path))
    config = json.loads((tmp_path / "config.json").read_text()) | change
    kept = {name: value for name, value in config.items() if value is not None}
    (tmp_path / "config.json").write_text(json.dumps(kept))
    with pytest.raises(InputError, match=message):
        read(tmp_path)


def test_folders_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be read as a model of transformers .*FileNotFoundError"):
        read(tmp_path)
    export(WholeWeights.of(model_of(DECODER)), DECODER, str(tmp_path))
    (tmp_path / "model.safetensors").write_bytes(b"short")
    with pytest.raises(InputError, match=r"model\.safetensors is damaged: it is cut short"):
        read(tmp_path)


@pytest.mark.parametrize("option", [{"qk_norm": True}, {"base_width": 8}])
def test_what_llama_has_not_is_not_exported(option: dict[str, Any], tmp_path: Path) -> None:
    decoder = Decoder(**SMALL, **option)
    with pytest.raises(InputError, match="has neither qk_norm nor maximal update scaling"):
        export(WholeWeights.of(model_of(decoder)), decoder, str(tmp_path))
