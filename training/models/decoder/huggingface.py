"""Decoders as Llama models of transformers, and back."""

from dataclasses import asdict
from typing import Any

from torch import Tensor

from curation.core.errors import InputError
from training.models.hugging_face import check_holds, options_of, read_folder, refuse_others, write_folder
from training.models.sizes import Sizes
from training.trainable import Trainable

OPTIONS = {
    "vocabulary": "vocab_size",
    "layers": "num_hidden_layers",
    "width": "hidden_size",
    "heads": "num_attention_heads",
    "kv_heads": "num_key_value_heads",
    "head_width": "head_dim",
    "hidden": "intermediate_size",
    "norm_epsilon": "rms_norm_eps",
    "rope_theta": "rope_theta",
    "tied_embeddings": "tie_word_embeddings",
}
FIXED = {"model_type": "llama", "hidden_act": "silu", "attention_bias": False, "mlp_bias": False}
NAMES = {
    "attention_norm": "input_layernorm",
    "attention.query": "self_attn.q_proj",
    "attention.key": "self_attn.k_proj",
    "attention.value": "self_attn.v_proj",
    "attention.output": "self_attn.o_proj",
    "feed_forward_norm": "post_attention_layernorm",
    "feed_forward.gate": "mlp.gate_proj",
    "feed_forward.up": "mlp.up_proj",
    "feed_forward.down": "mlp.down_proj",
}


def export(model: Trainable, architecture: Sizes, folder: str) -> None:
    """Writes the whole model of a `Decoder`. Raises InputError for what no Llama model has."""
    tensors = model.state_dict()
    options = asdict(architecture) | {"vocabulary": len(tensors["embedding.weight"])}
    if options["qk_norm"] or options["base_width"]:
        raise InputError(
            "transformers' Llama has neither qk_norm nor maximal update scaling (base_width); train without them to "
            "export, or use the checkpoint's safetensors files"
        )
    config = {theirs: options[ours] for ours, theirs in OPTIONS.items()}
    config["architectures"] = ["LlamaForCausalLM"]
    config["dtype"] = str(tensors["embedding.weight"].dtype).removeprefix("torch.")
    names = _names(options)
    write_folder(folder, FIXED | config, {names[name]: tensor for name, tensor in tensors.items()})


def load_weights(folder: str) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Options of the `Decoder`, and its tensors by our names, in their types there. Raises InputError for a folder that
    is no Llama model, or has options that ours has not."""
    config, tensors = read_folder(folder, FIXED)
    with options_of(folder):
        config.update(config.get("rope_parameters") or config.get("rope_scaling") or {})
        refuse_others(config, {"rope_type": "default", "type": "default"})
        check_holds(folder, config, ("hidden_size", "num_attention_heads"))
        heads = config["num_attention_heads"]
        absent = {"rope_theta": 10_000.0, "tie_word_embeddings": False, "num_key_value_heads": heads}
        absent["head_dim"] = config["hidden_size"] // heads
        config = absent | {name: value for name, value in config.items() if value is not None}
        check_holds(folder, config, OPTIONS.values())
        options = {ours: config[theirs] for ours, theirs in OPTIONS.items()} | {"qk_norm": False, "base_width": None}
        names = _names(options)
        check_holds(folder, tensors, names.values())
        return options, {ours: tensors[theirs] for ours, theirs in names.items()}


def _names(options: dict[str, Any]) -> dict[str, str]:
    """Our name of each tensor -> that of transformers."""
    names = {"embedding.weight": "model.embed_tokens.weight", "norm.weight": "model.norm.weight"}
    if not options["tied_embeddings"]:
        names["head.weight"] = "lm_head.weight"
    for number in range(options["layers"]):
        for ours, theirs in NAMES.items():
            names[f"blocks.{number}.{ours}.weight"] = f"model.layers.{number}.{theirs}.weight"
    return names
