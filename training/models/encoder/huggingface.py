"""Encoders as ModernBERT models of transformers, and back. Theirs hold some of our matrices on top of each other."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from curation.core.errors import InputError
from training.models.encoder import Encoder
from training.models.hugging_face import TensorSource, refuse_others, sources_of

OPTIONS = {
    "vocabulary": "vocab_size",
    "layers": "num_hidden_layers",
    "width": "hidden_size",
    "heads": "num_attention_heads",
    "hidden": "intermediate_size",
    "norm_epsilon": "norm_eps",
    "global_every": "global_attn_every_n_layers",
    "local_window": "local_attention",
    "global_theta": "global_rope_theta",
    "local_theta": "local_rope_theta",
}
FIXED = {
    "model_type": "modernbert",
    "hidden_activation": "gelu",
    "classifier_activation": "gelu",
    "attention_bias": False,
    "mlp_bias": False,
    "norm_bias": False,
    "classifier_bias": False,
    "decoder_bias": True,
    "tie_word_embeddings": True,
}
UNKNOWN = dict.fromkeys(f"{name}_token_id" for name in ("pad", "bos", "eos", "cls", "sep"))  # the tokenizer's
NAMES = {  # ours -> theirs, at first outside of blocks
    "embedding": "model.embeddings.tok_embeddings",
    "embedding_norm": "model.embeddings.norm",
    "norm": "model.final_norm",
    "prediction.dense": "head.dense",
    "prediction.norm": "head.norm",
    "head_bias": "decoder.bias",
    "blocks": "model.layers",
    "attention_norm": "attn_norm",
    "attention.query": "attn.Wqkv",
    "attention.key": "attn.Wqkv",
    "attention.value": "attn.Wqkv",
    "attention.output": "attn.Wo",
    "feed_forward_norm": "mlp_norm",
    "feed_forward.gate": "mlp.Wi",
    "feed_forward.up": "mlp.Wi",
    "feed_forward.down": "mlp.Wo",
}


def config_of(architecture: Encoder, vocabulary: int) -> dict[str, Any]:
    """Raises InputError for what no ModernBERT model has."""
    if architecture.head_width * architecture.heads != architecture.width:
        raise InputError("transformers' ModernBERT has no head_width of its own; it must be width / heads to export")
    options = asdict(architecture) | {"vocabulary": vocabulary}
    config = {theirs: options[ours] for ours, theirs in OPTIONS.items()}
    return {**FIXED, **UNKNOWN, **config, "architectures": ["ModernBertForMaskedLM"]}


def layout(config: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, TensorSource]]:
    """Options of the `Encoder`, and where its tensors lie, with the head that predicts masked tokens. Raises InputError
    for what is no ModernBERT model, or has options that ours has not."""
    refuse_others(config, FIXED)
    stated = {**config}
    for kind, turn in (config.get("rope_parameters") or {}).items():  # as newer folders have it
        refuse_others(turn, {"rope_type": "default"})
        stated["global_rope_theta" if kind == "full_attention" else "local_rope_theta"] = turn["rope_theta"]
    if kinds := config.get("layer_types"):
        stated["global_attn_every_n_layers"] = _global_every(kinds)
    options = {ours: stated[theirs] for ours, theirs in OPTIONS.items()}
    options["head_width"] = options["width"] // options["heads"]
    return options, sources_of(Encoder(**options), options["vocabulary"], NAMES)


def _global_every(kinds: list[str]) -> int:
    """The n of models whose every n-th layer, from the first, sees all."""
    sees_all = [number for number, kind in enumerate(kinds) if kind == "full_attention"]
    every = [*sees_all, len(kinds), len(kinds)][1]
    if sees_all != list(range(0, len(kinds), every)):
        raise InputError(
            f"layer_types in config.json has full_attention at {sees_all}; only models that have it at every n-th "
            "layer from 0 can be read"
        )
    return every
