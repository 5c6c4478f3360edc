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
from training.models.decoder.huggingface import export, load_weights

EXAMPLE = example_of(Kind.PLAIN, segments=np.ones(12, np.int32))
IDS = torch.from_numpy(EXAMPLE.inputs)[None]
BATCH = Batch.of([EXAMPLE])
DECODER = Decoder(**SMALL, kv_heads=2)


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
    loaded, tensors = load_weights(str(tmp_path))
    decoder = Decoder(**loaded)
    ours = model_of(decoder)
    ours.load_state_dict(tensors)
    with torch.no_grad():
        torch.testing.assert_close(ours.logits(BATCH), theirs(IDS).logits, rtol=0, atol=1e-4)
        export(ours, decoder, str(tmp_path / "exported"))
        again = LlamaForCausalLM.from_pretrained(tmp_path / "exported")
        torch.testing.assert_close(again(IDS).logits, theirs(IDS).logits, rtol=0, atol=1e-6)
    assert decoder.weights_of(str(tmp_path)).keys() == ours.state_dict().keys()


def test_export_and_import_give_the_same_bits(tmp_path: Path) -> None:
    model = model_of(DECODER)
    export(model, DECODER, str(tmp_path))
    options, tensors = load_weights(str(tmp_path))
    assert Decoder(**options) == Decoder(**SMALL, kv_heads=2, vocabulary=50)
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
    options, tensors = load_weights(str(tmp_path))
    assert options["head_width"] == 4
    assert torch.equal(
        tensors["blocks.1.feed_forward.up.weight"], theirs.state_dict()["model.layers.1.mlp.up_proj.weight"]
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
    export(model_of(DECODER), DECODER, str(tmp_path))
    config = json.loads((tmp_path / "config.json").read_text()) | change
    kept = {name: value for name, value in config.items() if value is not None}
    (tmp_path / "config.json").write_text(json.dumps(kept))
    with pytest.raises(InputError, match=message):
        load_weights(str(tmp_path))


def test_folders_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be read as a model of transformers .*FileNotFoundError"):
        load_weights(str(tmp_path))
    export(model_of(DECODER), DECODER, str(tmp_path))
    (tmp_path / "model.safetensors").write_bytes(b"short")
    with pytest.raises(InputError, match=r"model\.safetensors is damaged: it is cut short"):
        load_weights(str(tmp_path))


def test_weights_go_into_the_same_model_only(tmp_path: Path) -> None:
    export(model_of(DECODER), DECODER, str(tmp_path))
    with pytest.raises(InputError, match="are of a model whose heads is 4, this one's is 2"):
        Decoder(**SMALL | {"heads": 2}, kv_heads=2).weights_of(str(tmp_path))


@pytest.mark.parametrize("option", [{"qk_norm": True}, {"base_width": 8}])
def test_what_llama_has_not_is_not_exported(option: dict[str, Any], tmp_path: Path) -> None:
    decoder = Decoder(**SMALL, **option)
    with pytest.raises(InputError, match="has neither qk_norm nor maximal update scaling"):
        export(model_of(decoder), decoder, str(tmp_path))
