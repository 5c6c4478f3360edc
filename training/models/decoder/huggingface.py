"""Decoders as models of transformers, and back: Llama, Mistral, Qwen2, Qwen3, OLMo 2 and GPT-2."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import torch

from curation.core.errors import InputError
from training.models.blocks.rotary import ntk_theta
from training.models.decoder import Decoder
from training.models.decoder.families import FAMILIES, FORMS, PLAIN, Family
from training.models.hugging_face import Source, refuse_others
from training.models.rope_scaling import RopeScaling

ROPE = {  # ours -> theirs
    "factor": "factor",
    "original_length": "original_max_position_embeddings",
    "low_freq_factor": "low_freq_factor",
    "high_freq_factor": "high_freq_factor",
    "beta_fast": "beta_fast",
    "beta_slow": "beta_slow",
    "attention_factor": "attention_factor",
}
UNSCALED = {"partial_rotary_factor": 1.0, "mscale": None, "mscale_all_dim": None, "truncate": True}
STACKED = ("attention.query", "attention.key", "attention.value")  # in one tensor of GPT-2


def config_of(architecture: Decoder, vocabulary: int) -> dict[str, Any]:
    """The config of such a model. Raises InputError for what no family has."""
    architecture.folded()  # raises where maximal update scaling has no form there
    kind = _family(architecture)
    family = FAMILIES[kind]
    options = asdict(architecture) | {"vocabulary": vocabulary}
    config = {"model_type": kind, "architectures": [family.architecture], **family.fixed}
    config |= {theirs: options[ours] for ours, theirs in family.sizes.items()}
    if kind == "gpt2":
        rate = architecture.dropout
        return {**config, "resid_pdrop": rate, "embd_pdrop": rate, "attn_pdrop": 0.0}
    if kind == "llama":
        config["attention_bias"] = config["mlp_bias"] = architecture.biases == "all"
    if kind in ("mistral", "qwen2", "qwen3"):
        config["sliding_window"] = architecture.sliding_window
    if kind in ("qwen2", "qwen3"):
        config |= {"use_sliding_window": architecture.sliding_window is not None, "max_window_layers": 0}
    return config | _stated_rope(architecture)


def layout(config: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Source]]:
    """Options of the `Decoder`, and where its tensors lie. Raises InputError for a model of another family, or one with
    options that ours has not."""
    kind = config["model_type"]
    if kind not in FAMILIES:
        raise InputError(f"model_type is {kind!r} in config.json; only models with {', '.join(FAMILIES)} can be read")
    family = FAMILIES[kind]
    refuse_others(config, {"quantization_config": None, **family.fixed})
    heads, width = (config[family.sizes[ours]] for ours in ("heads", "width"))
    stated = {
        "num_key_value_heads": heads,
        "head_dim": width // heads,
        "n_inner": 4 * width,
        "tie_word_embeddings": False,
    }
    stated |= {name: value for name, value in {**family.absent, **config}.items() if value is not None}
    options = PLAIN | next(form for name, form in FORMS if name == kind) | {"base_width": None, "sliding_window": None}
    options |= {ours: stated[theirs] for ours, theirs in family.sizes.items()}
    if kind == "gpt2":
        options |= {"kv_heads": heads, "head_width": width // heads, "rope_scaling": None}
    else:
        options |= {"learned_positions": None, "sliding_window": _window(kind, stated), **_rope(stated)}
    if kind == "llama":
        refuse_others(stated, {"attention_bias": stated.get("mlp_bias", False)})
        options["biases"] = "all" if stated.get("attention_bias") else "none"
    return options, _sources(options, family)


def _family(architecture: Decoder) -> str:
    """The `model_type` of the family that has all of the decoder's options."""
    form = {name: getattr(architecture, name) for name in PLAIN}
    form |= {name: form[name] is not None for name in ("sliding_window", "learned_positions")}
    found = next((name for name, own in FORMS if form == {**PLAIN, **own}), None)
    if found is None or (architecture.rope_scaling and found == "gpt2"):
        other = ", ".join(f"{name} {value}" for name, value in form.items() if value != PLAIN[name])
        raise InputError(
            f"no family of decoders in transformers that winnow knows has {other} together; docs/training.md lists "
            "them; use the checkpoint's safetensors files, or train with the options of one of them"
        )
    whole = (architecture.heads, architecture.heads * architecture.head_width)
    if found == "gpt2" and whole != (architecture.kv_heads, architecture.width):
        raise InputError("transformers' GPT-2 has neither kv_heads nor head_width of its own; leave them out to export")
    return found


def _window(kind: str, stated: Mapping[str, Any]) -> int | None:
    """The window of all layers. Raises InputError where some layers alone have one."""
    window: int | None = stated.get("sliding_window")
    if kind not in ("qwen2", "qwen3"):
        return window if kind == "mistral" else None
    if window is None or not stated.get("use_sliding_window"):
        return None
    first = stated.get("max_window_layers", 28)
    layers = range(stated["num_hidden_layers"])
    kinds = {
        *stated.get("layer_types", ["full_attention" if layer < first else "sliding_attention" for layer in layers])
    }
    if len(kinds) > 1:
        raise InputError(
            f"use_sliding_window is True in config.json for some layers alone (max_window_layers {first}); only models "
            "with a window in all layers, or in none, can be read"
        )
    return window if kinds == {"sliding_attention"} else None


def _rope(stated: Mapping[str, Any]) -> dict[str, Any]:
    """`rope_theta` and `rope_scaling`, which newer configs have in one mapping."""
    rope = {"rope_theta": stated.get("rope_theta", 10_000.0), "rope_type": "default"}
    rope |= stated.get("rope_scaling", {}) | stated.get("rope_parameters", {})
    kind = rope.get("type", "default") if rope["rope_type"] == "default" else rope["rope_type"]
    refuse_others({**stated, **rope}, UNSCALED)
    if kind not in ("default", "linear", "yarn", "llama3"):
        raise InputError(
            f"rope_type is {kind!r} in config.json; only models with default, linear, yarn or llama3 can be read"
        )
    if unknown := sorted(rope.keys() - {"rope_theta", "rope_type", "type", *ROPE.values(), *UNSCALED}):
        raise InputError(
            f"the rotary positions in config.json have {unknown[0]}, which is not known; models without can be read"
        )
    scaling = None
    if kind != "default":
        if kind != "linear":
            rope.setdefault("original_max_position_embeddings", stated.get("max_position_embeddings"))
        given = {ours: rope[theirs] for ours, theirs in ROPE.items() if rope.get(theirs) is not None}
        scaling = RopeScaling(type=kind, **given)
    return {"rope_theta": rope["rope_theta"], "rope_scaling": scaling}


def _stated_rope(architecture: Decoder) -> dict[str, Any]:
    """As older configs have it, which newer versions read too."""
    scaling = architecture.rope_scaling
    if scaling is None:
        return {"rope_theta": architecture.rope_theta, "rope_scaling": None}
    if scaling.type == "ntk":  # is nothing but another base
        theta = ntk_theta(architecture.head_width, architecture.rope_theta, scaling)
        return {"rope_theta": theta, "rope_scaling": None}
    stated = {theirs: getattr(scaling, ours) for ours, theirs in ROPE.items() if getattr(scaling, ours) is not None}
    return {"rope_theta": architecture.rope_theta, "rope_scaling": {"rope_type": scaling.type, **stated}}


def _sources(options: Mapping[str, Any], family: Family) -> dict[str, Source]:
    """Where each tensor of a decoder with these options lies."""
    with torch.device("meta"):
        names = Decoder(**options).build(options["vocabulary"]).state_dict()
    sources = {}
    for name, tensor in names.items():
        module, _, kind = name.rpartition(".")
        if module in family.outside:
            sources[name] = Source(f"{family.outside[module]}.{kind}")
            continue
        _, number, inside = module.split(".", 2)
        theirs = f"{family.blocks}.{number}.{family.inside[inside]}.{kind}"
        first, rows = 0, None
        if family.transposed and inside in STACKED:
            rows = options["width"]
            first = STACKED.index(inside) * rows
        sources[name] = Source(theirs, first, rows, transposed=family.transposed and tensor.dim() > 1)
    return sources
