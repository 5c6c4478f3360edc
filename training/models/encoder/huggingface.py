"""Encoders as ModernBERT models of transformers, and back. Theirs hold some of our matrices on top of each other."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from curation.core.errors import InputError
from training.models.encoder.sizes import EncoderSizes
from training.models.hugging_face import TensorSource, refuse_others

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
OUTSIDE = {
    "embedding.weight": "model.embeddings.tok_embeddings.weight",
    "embedding_norm.weight": "model.embeddings.norm.weight",
    "norm.weight": "model.final_norm.weight",
    "prediction.dense.weight": "head.dense.weight",
    "prediction.norm.weight": "head.norm.weight",
    "head_bias": "decoder.bias",
}
NAMES = {  # theirs -> ours, which are stacked if they are several
    "attn_norm": ("attention_norm",),
    "attn.Wqkv": ("attention.query", "attention.key", "attention.value"),
    "attn.Wo": ("attention.output",),
    "mlp_norm": ("feed_forward_norm",),
    "mlp.Wi": ("feed_forward.gate", "feed_forward.up"),
    "mlp.Wo": ("feed_forward.down",),
}


def config_of(architecture: EncoderSizes, vocabulary: int) -> dict[str, Any]:
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
    return options, _sources(options)


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


def _sources(options: Mapping[str, Any]) -> dict[str, TensorSource]:
    """Where each of our tensors lies."""
    sources = {ours: TensorSource(theirs) for ours, theirs in OUTSIDE.items()}
    stacked = {"attn.Wqkv": options["width"], "mlp.Wi": options["hidden"]}  # rows of each of ours
    for number in range(options["layers"]):
        for theirs, names in NAMES.items():
            rows = stacked.get(theirs)
            for place, name in enumerate(names):
                own = TensorSource(f"model.layers.{number}.{theirs}.weight", place * (rows or 0), rows)
                sources[f"blocks.{number}.{name}.weight"] = own
    del sources["blocks.0.attention_norm.weight"]  # the first layer has none
    return sources
