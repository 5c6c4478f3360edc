"""Decoders as Llama models of transformers, and back."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from curation.core.errors import InputError
from training.models.decoder import Decoder
from training.models.hugging_face import TensorSource, refuse_others

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


def config_of(architecture: Decoder, vocabulary: int) -> dict[str, Any]:
    """Raises InputError for what no Llama model has."""
    if architecture.qk_norm or architecture.base_width:
        raise InputError(
            "transformers' Llama has neither qk_norm nor maximal update scaling (base_width); train without them to "
            "export, or use the checkpoint's safetensors files"
        )
    options = asdict(architecture) | {"vocabulary": vocabulary}
    config = {theirs: options[ours] for ours, theirs in OPTIONS.items()}
    return {**FIXED, **config, "architectures": ["LlamaForCausalLM"]}


def layout(config: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, TensorSource]]:
    """Options of the `Decoder`, and where its tensors lie. Raises InputError for what is no Llama model, or has options
    that ours has not."""
    refuse_others(config, FIXED)
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    refuse_others(rope, {"rope_type": "default", "type": "default"})
    heads = config["num_attention_heads"]
    absent = {"rope_theta": 10_000.0, "tie_word_embeddings": False, "num_key_value_heads": heads}
    absent["head_dim"] = config["hidden_size"] // heads
    config = absent | {name: value for name, value in {**config, **rope}.items() if value is not None}
    options = {ours: config[theirs] for ours, theirs in OPTIONS.items()} | {"qk_norm": False, "base_width": None}
    return options, {ours: TensorSource(theirs) for ours, theirs in _names(options).items()}


def _names(options: dict[str, Any]) -> dict[str, str]:
    """Our name of each tensor -> that of transformers."""
    names = {"embedding.weight": "model.embed_tokens.weight", "norm.weight": "model.norm.weight"}
    if not options["tied_embeddings"]:
        names["head.weight"] = "lm_head.weight"
    for number in range(options["layers"]):
        for ours, theirs in NAMES.items():
            names[f"blocks.{number}.{ours}.weight"] = f"model.layers.{number}.{theirs}.weight"
    return names
