"""Encoders as ModernBERT models of transformers, and back. Theirs hold some of our matrices on top of each other."""

from dataclasses import asdict
from typing import Any

import torch
from torch import Tensor

from curation.core.errors import InputError
from training.models.encoder.sizes import EncoderSizes
from training.models.hugging_face import check_holds, options_of, read_folder, refuse_others, write_folder
from training.trainable import Trainable

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
    "model.embeddings.tok_embeddings.weight": ("embedding.weight",),
    "model.embeddings.norm.weight": ("embedding_norm.weight",),
    "model.final_norm.weight": ("norm.weight",),
    "head.dense.weight": ("prediction.dense.weight",),
    "head.norm.weight": ("prediction.norm.weight",),
    "decoder.bias": ("head_bias",),
}
NAMES = {  # theirs -> ours, which are stacked if they are several
    "attn_norm": ("attention_norm",),
    "attn.Wqkv": ("attention.query", "attention.key", "attention.value"),
    "attn.Wo": ("attention.output",),
    "mlp_norm": ("feed_forward_norm",),
    "mlp.Wi": ("feed_forward.gate", "feed_forward.up"),
    "mlp.Wo": ("feed_forward.down",),
}


def export(model: Trainable, architecture: EncoderSizes, folder: str) -> None:
    """Writes the whole model, with the head that predicts masked tokens. Raises InputError for what no ModernBERT model
    has."""
    tensors = model.state_dict()
    options = asdict(architecture) | {"vocabulary": len(tensors["embedding.weight"])}
    if architecture.head_width * architecture.heads != architecture.width:
        raise InputError("transformers' ModernBERT has no head_width of its own; it must be width / heads to export")
    config = {theirs: options[ours] for ours, theirs in OPTIONS.items()}
    config["architectures"] = ["ModernBertForMaskedLM"]
    config["dtype"] = str(tensors["embedding.weight"].dtype).removeprefix("torch.")
    names = _names(architecture.layers)
    stacked = {theirs: torch.cat([tensors[name] for name in ours]) for theirs, ours in names.items()}
    write_folder(folder, FIXED | UNKNOWN | config, stacked)


def load_weights(folder: str) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Options of the `Encoder`, and its tensors by our names, in their types there. Raises InputError for a folder that
    is no ModernBERT model, or has options that ours has not."""
    config, tensors = read_folder(folder, FIXED)
    with options_of(folder):
        for kind, turn in (config.get("rope_parameters") or {}).items():  # as newer folders have it
            refuse_others(turn, {"rope_type": "default"})
            config["global_rope_theta" if kind == "full_attention" else "local_rope_theta"] = turn["rope_theta"]
        if kinds := config.get("layer_types"):
            config["global_attn_every_n_layers"] = _global_every(kinds)
        check_holds(folder, config, OPTIONS.values())
        options = {ours: config[theirs] for ours, theirs in OPTIONS.items()}
        options["head_width"] = options["width"] // options["heads"]
        names = _names(options["layers"])
        check_holds(folder, tensors, names)
        found: dict[str, Tensor] = {}
        for theirs, ours in names.items():
            found.update(zip(ours, tensors[theirs].chunk(len(ours)), strict=True))
        return options, found


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


def _names(layers: int) -> dict[str, tuple[str, ...]]:
    """Each name of transformers -> our names of what is stacked in it."""
    names: dict[str, tuple[str, ...]] = dict(OUTSIDE)
    for number in range(layers):
        for theirs, ours in NAMES.items():
            if number or theirs != "attn_norm":  # the first layer has none
                own = tuple(f"blocks.{number}.{name}.weight" for name in ours)
                names[f"model.layers.{number}.{theirs}.weight"] = own
    return names
