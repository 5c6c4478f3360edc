"""Folders of Llama, Mistral, Qwen2, Qwen3, OLMo 2 and GPT-2: the logits of transformers, the same bits back, and what
cannot be read or written."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from transformers import AutoModelForCausalLM, LlamaForCausalLM

from curation.core.errors import InputError
from tests.training.models.made import SMALL, example_of, model_of
from training.batch import Batch, Kind
from training.models.decoder import Decoder
from training.models.decoder.huggingface import layout
from training.models.folder_writer import WholeWeights, export
from training.models.hugging_face import FolderWeights, read_folder
from training.models.rope_scaling import RopeScaling

EXAMPLE = example_of(Kind.PLAIN, segments=np.ones(12, np.int32))
IDS = torch.from_numpy(EXAMPLE.inputs)[None]
BATCH = Batch.of([EXAMPLE])
DECODER = Decoder(**SMALL, kv_heads=2)
SIZES = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4}
LLAMA = SIZES | {"num_key_value_heads": 2, "vocab_size": 50, "max_position_embeddings": 64, "initializer_range": 0.5}
LLAMA |= {"bos_token_id": None, "eos_token_id": None, "pad_token_id": None}
GPT2 = {"n_embd": 16, "n_layer": 2, "n_head": 4, "n_positions": 20, "vocab_size": 50, "initializer_range": 0.5}
GPT2 |= {"bos_token_id": None, "eos_token_id": None}
WINDOW = {"sliding_window": 5, "use_sliding_window": True, "max_window_layers": 0}
LLAMA_3 = {"low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 32}


def read(folder: Path) -> FolderWeights:
    return read_folder(str(folder), layout)


def tensors_of(found: FolderWeights) -> dict[str, torch.Tensor]:
    return {name: found.box(name, (0,) * len(shape), shape) for name, shape in found.shapes.items()}


def same(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], tensor) for name, tensor in other.items())


def theirs_of(family: str, **options: Any) -> Any:
    """A model of transformers with random weights, also those of biases and norms."""
    torch.manual_seed(0)
    head = "LMHeadModel" if family == "GPT2" else "ForCausalLM"
    config = getattr(transformers, f"{family}Config")(**(GPT2 if family == "GPT2" else LLAMA) | options)
    model = getattr(transformers, f"{family}{head}")(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter.add_(torch.randn(parameter.shape) * 0.3)
    return model


def scaled(kind: str, **options: float) -> dict[str, Any]:
    return {"rope_parameters": {"rope_type": kind, "rope_theta": 500.0, "factor": 4.0, **options}}


@pytest.mark.parametrize(
    ("family", "options"),
    [
        pytest.param("Llama", {}, id="Llama 2"),
        pytest.param(
            "Llama", {"tie_word_embeddings": True, "rope_theta": 500.0, "rms_norm_eps": 0.1}, id="Llama, tied"
        ),
        pytest.param("Llama", {"head_dim": 6, "num_key_value_heads": 4}, id="Llama, narrow heads"),
        pytest.param("Llama", {"attention_bias": True, "mlp_bias": True}, id="Llama, biases"),
        pytest.param("Llama", scaled("llama3", **LLAMA_3), id="Llama 3.1"),
        pytest.param("Llama", scaled("linear"), id="Llama, linear scaling"),
        pytest.param("Llama", scaled("yarn", original_max_position_embeddings=16), id="Llama, YaRN"),
        pytest.param("Mistral", {"sliding_window": 5}, id="Mistral"),
        pytest.param("Qwen2", {}, id="Qwen2"),
        pytest.param("Qwen2", WINDOW, id="Qwen2, windows"),
        pytest.param("Qwen3", {"head_dim": 6, "tie_word_embeddings": True}, id="Qwen3"),
        pytest.param("Qwen3", WINDOW, id="Qwen3, windows"),
        pytest.param("Olmo2", {}, id="OLMo 2"),
        pytest.param("GPT2", {"n_inner": 24}, id="GPT-2"),
        pytest.param("GPT2", {"tie_word_embeddings": False}, id="GPT-2, own head"),
    ],
)
def test_logits_are_those_of_transformers(family: str, options: dict[str, Any], tmp_path: Path) -> None:
    theirs = theirs_of(family, **options)
    theirs.save_pretrained(tmp_path)
    found = read(tmp_path)
    decoder = Decoder(**found.options)
    ours = model_of(decoder)
    ours.load_state_dict(tensors_of(found))
    with torch.no_grad():
        torch.testing.assert_close(ours.logits(BATCH), theirs(IDS).logits, rtol=0, atol=1e-4)
        export(WholeWeights.of(ours), decoder, str(tmp_path / "exported"))
        again = AutoModelForCausalLM.from_pretrained(tmp_path / "exported")
        torch.testing.assert_close(again(IDS).logits, theirs(IDS).logits, rtol=0, atol=1e-6)
    assert type(again) is type(theirs)
    assert same(again.state_dict(), theirs.state_dict())
    assert read(tmp_path / "exported").options == found.options


@pytest.mark.parametrize(
    ("options", "architecture"),
    [
        pytest.param({}, "Llama", id="Llama"),
        pytest.param({"qk_norm": True, "preset": "1b"}, "Qwen3", id="llama_1b"),
        pytest.param({"rope_scaling": RopeScaling(type="llama3", factor=8, original_length=64)}, "Llama", id="llama3"),
        pytest.param({"sliding_window": 4}, "Mistral", id="Mistral"),
        pytest.param({"biases": "qkv"}, "Qwen2", id="Qwen2"),
        pytest.param({"norm_position": "after", "qk_norm": "width"}, "Olmo2", id="OLMo 2"),
        pytest.param({"preset": "gpt2", "kv_heads": 4}, "GPT2", id="GPT-2"),
    ],
)
def test_export_and_import_give_the_same_bits(options: dict[str, Any], architecture: str, tmp_path: Path) -> None:
    decoder = Decoder(**SMALL | {"kv_heads": 2} | options)
    model = model_of(decoder)
    export(WholeWeights.of(model), decoder, str(tmp_path))
    found = read(tmp_path)
    stated = {"preset": decoder.preset, "rope_theta": decoder.rope_theta}
    assert Decoder(**stated | dict(found.options)) == Decoder(**SMALL | {"kv_heads": 2, "vocabulary": 50} | options)
    assert same(tensors_of(found), model.state_dict())
    theirs = AutoModelForCausalLM.from_pretrained(tmp_path)
    assert type(theirs).__name__.startswith(architecture)
    with torch.no_grad():
        torch.testing.assert_close(model.logits(BATCH), theirs(IDS).logits, rtol=0, atol=1e-4)


def test_another_base_for_all_positions_is_written_as_such(tmp_path: Path) -> None:
    decoder = Decoder(**SMALL, rope_scaling=RopeScaling(type="ntk", factor=4))
    model = model_of(decoder)
    export(WholeWeights.of(model), decoder, str(tmp_path))
    assert read(tmp_path).options["rope_theta"] == pytest.approx(10_000 * 4 ** (4 / 2))
    with torch.no_grad():
        logits = LlamaForCausalLM.from_pretrained(tmp_path)(IDS).logits
        torch.testing.assert_close(model.logits(BATCH), logits, rtol=0, atol=1e-4)


@pytest.mark.parametrize("options", [{}, {"qk_norm": True}, {"biases": "qkv"}], ids=["plain", "qk_norm", "biases"])
def test_maximal_update_scaling_is_in_the_weights(options: dict[str, Any], tmp_path: Path) -> None:
    """Width 16 over base 4, heads of 4: the last norm is divided by 4, queries by 2."""
    decoder = Decoder(**SMALL, base_width=4, **options)
    model = model_of(decoder)
    export(WholeWeights.of(model), decoder, str(tmp_path))
    with torch.no_grad():
        logits = AutoModelForCausalLM.from_pretrained(tmp_path)(IDS).logits
        torch.testing.assert_close(model.logits(BATCH), logits, rtol=0, atol=1e-5)
    found = tensors_of(read(tmp_path))
    assert found["norm.weight"].tolist() == [0.25] * 16
    queries = "blocks.1.attention.query_norm.weight" if "qk_norm" in options else "blocks.1.attention.query.weight"
    assert torch.equal(found[queries] * 2, model.state_dict()[queries])


def test_several_files_and_older_configs(tmp_path: Path) -> None:
    theirs = theirs_of("Llama")
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


BASE = {**SIZES, "model_type": "llama", "vocab_size": 50, "rms_norm_eps": 1e-5, "num_attention_heads": 16}
BASE["hidden_size"] = 64


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param({"rope_theta": 5e5, "rope_scaling": None}, (5e5, RopeScaling()), id="plain"),
        pytest.param(
            {"rope_scaling": {"type": "linear", "factor": 2.0}},
            (10_000.0, RopeScaling(type="linear", factor=2.0)),
            id="older name of the type",
        ),
        pytest.param(
            {"rope_parameters": {"rope_type": "yarn", "factor": 4}, "max_position_embeddings": 128},
            (10_000.0, RopeScaling(type="yarn", factor=4, original_length=128)),
            id="the length before is that of the model",
        ),
    ],
)
def test_rotary_positions_of_a_config(change: dict[str, Any], expected: tuple[float, RopeScaling]) -> None:
    options, _ = layout(BASE | change)
    assert (options["rope_theta"], options["rope_scaling"]) == expected


@pytest.mark.parametrize(
    ("change", "name", "expected"),
    [
        pytest.param({"model_type": "mistral"}, "sliding_window", 4096, id="Mistral says nothing of its window"),
        pytest.param({"model_type": "mistral", "sliding_window": None}, "sliding_window", None, id="Mistral has none"),
        pytest.param({"model_type": "mistral"}, "kv_heads", 8, id="Mistral says nothing of its heads"),
        pytest.param({"model_type": "llama"}, "kv_heads", 16, id="Llama says nothing of its heads"),
        pytest.param(
            {"model_type": "qwen2", "sliding_window": 9, "num_key_value_heads": 2},
            "sliding_window",
            None,
            id="a window that is not used",
        ),
        pytest.param({"model_type": "qwen3", "num_key_value_heads": 2}, "head_width", 128, id="Qwen3's heads"),
    ],
)
def test_options_that_a_config_leaves_out(change: dict[str, Any], name: str, expected: Any) -> None:
    options, _ = layout(BASE | change)
    assert options[name] == expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"model_type": "mixtral"}, "model_type is 'mixtral' in config.json; only .* gpt2 can", id="type"),
        pytest.param({"attention_bias": True}, "attention_bias is True", id="biases of attention alone"),
        pytest.param({"model_type": "qwen3", "attention_bias": True}, "attention_bias is True", id="biases of Qwen3"),
        pytest.param({"hidden_act": "gelu"}, "hidden_act is 'gelu'", id="activation"),
        pytest.param({"rope_parameters": {"rope_type": "dynamic"}}, "rope_type is 'dynamic'", id="dynamic positions"),
        pytest.param({"rope_scaling": {"type": "longrope"}}, "rope_type is 'longrope'", id="and as they were named"),
        pytest.param(
            {"rope_scaling": {"type": "yarn", "factor": 2, "mscale": 1}}, "mscale is 1", id="YaRN of DeepSeek"
        ),
        pytest.param({"partial_rotary_factor": 0.5}, "partial_rotary_factor is 0.5", id="half of a head turns"),
        pytest.param({"rope_parameters": {"full_attention": {}}}, "have full_attention", id="positions by layer"),
        pytest.param({"quantization_config": {"bits": 4}}, "quantization_config is", id="quantized"),
        pytest.param(
            {"model_type": "qwen2", "use_sliding_window": True, "sliding_window": 4, "max_window_layers": 1},
            r"use_sliding_window is True in config.json for some layers alone \(max_window_layers 1\)",
            id="windows in some layers",
        ),
        pytest.param({"hidden_size": None}, "option of another kind|has no hidden_size", id="no width"),
        pytest.param({"num_hidden_layers": 3}, "has no model.layers.2.input_layernorm.weight", id="a layer is missing"),
    ],
)
def test_what_is_no_such_model(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    export(WholeWeights.of(model_of(DECODER)), DECODER, str(tmp_path))
    config = json.loads((tmp_path / "config.json").read_text()) | change
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(InputError, match=message):
        read(tmp_path)


def test_folders_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be read as a model of transformers .*FileNotFoundError"):
        read(tmp_path)
    export(WholeWeights.of(model_of(DECODER)), DECODER, str(tmp_path))
    (tmp_path / "model.safetensors").write_bytes(b"short")
    with pytest.raises(InputError, match=r"model\.safetensors is damaged: it is cut short"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"norm": "layer"}, "of transformers has norm layer together", id="LayerNorm alone"),
        pytest.param(
            {"qk_norm": "width", "biases": "qkv"}, "has biases qkv, qk_norm width together", id="OLMo's and Qwen's"
        ),
        pytest.param(
            {"preset": "gpt2", "kv_heads": 2}, "GPT-2 has neither kv_heads nor head_width", id="grouped heads"
        ),
        pytest.param({"base_width": 6}, "of norm.weight by 0.375 would change bits", id="no power of two"),
        pytest.param(
            {"base_width": 8, "head_width": 8}, "of attention.query.weight by 0.3536 would change bits", id="no square"
        ),
    ],
)
def test_what_no_family_has_is_not_exported(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    decoder = Decoder(**SMALL | options)
    with pytest.raises(InputError, match=message):
        export(WholeWeights.of(model_of(decoder)), decoder, str(tmp_path))
    assert not any(tmp_path.iterdir())
