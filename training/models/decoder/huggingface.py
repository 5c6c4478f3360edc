"""Decoders as models of transformers, and back: Llama, Mistral, Qwen2, Qwen3, OLMo 2 and GPT-2."""

import math
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from curation.core.errors import InputError
from training.models.blocks.rotary import ntk_theta
from training.models.decoder import Decoder
from training.models.decoder.families import FAMILIES, FORMS, MODULES, PLAIN, SIZES, names_of
from training.models.hugging_face import TensorSource, refuse_others, sources_of
from training.models.rope_scaling import UNSCALED, RopeScaling

ROPE = {one.name: one.name for one in fields(RopeScaling)}  # ours -> theirs
ROPE |= {"type": "rope_type", "original_length": "original_max_position_embeddings"}
FIXED_ROPE = {"partial_rotary_factor": 1.0, "mscale": None, "mscale_all_dim": None, "truncate": True}


def config_of(architecture: Decoder, vocabulary: int) -> dict[str, Any]:
    """The config of such a model. Raises InputError for what no family has."""
    kind = _kind_of(architecture)
    family = FAMILIES[kind]
    options = asdict(architecture) | {"vocabulary": vocabulary}
    config = {"model_type": kind, "architectures": [family.architecture], **family.fixed}
    config |= {theirs: options[ours] for ours, theirs in names_of(kind, SIZES).items()}
    window = architecture.sliding_window
    if kind == "gpt2":
        return config | {"resid_pdrop": options["dropout"], "embd_pdrop": options["dropout"], "attn_pdrop": 0.0}
    if kind == "llama":
        config["attention_bias"] = config["mlp_bias"] = architecture.biases == "all"
    if kind in ("mistral", "qwen2", "qwen3"):
        config |= {"sliding_window": window, "use_sliding_window": window is not None, "max_window_layers": 0}
    return config | _stated_rope(architecture)


def layout(config: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, TensorSource]]:
    """Options of the `Decoder`, and where its tensors lie. Raises InputError for a model of another family, or one with
    options that ours has not."""
    kind = config["model_type"]
    if kind not in FAMILIES:
        raise InputError(f"model_type is {kind!r} in config.json; only models with {', '.join(FAMILIES)} can be read")
    refuse_others(config, {"quantization_config": None, **FAMILIES[kind].fixed})
    sizes = names_of(kind, SIZES)
    heads, width = (config[sizes[name]] for name in ("heads", "width"))
    stated = {"num_key_value_heads": heads, "head_dim": width // heads, "tie_word_embeddings": False}
    stated |= {"n_inner": 4 * width}
    stated |= {name: value for name, value in {**FAMILIES[kind].absent, **config}.items() if value is not None}
    form = next(form for name, form in FORMS if name == kind)
    options = {**PLAIN, **form, "sliding_window": None, "learned_positions": None, "base_width": None}
    options |= {"kv_heads": heads, "head_width": width // heads}
    options |= {ours: stated[theirs] for ours, theirs in sizes.items()}
    if kind != "gpt2":
        options |= {"sliding_window": _window(kind, stated), **_rope(stated)}
    if kind == "llama":
        refuse_others(stated, {"attention_bias": stated.get("mlp_bias", False)})
        options["biases"] = "all" if stated.get("attention_bias") else "none"
    sources = sources_of(Decoder(**options), options["vocabulary"], names_of(kind, MODULES), transposed=kind == "gpt2")
    return options, sources


def _kind_of(architecture: Decoder) -> str:
    """The `model_type` of the family that has all of the decoder's options."""
    form = {name: getattr(architecture, name) for name in PLAIN}
    form |= {name: form[name] is not None for name in ("sliding_window", "learned_positions")}
    kind = next((name for name, own in FORMS if form == {**PLAIN, **own}), None)
    if kind is None:
        other = ", ".join(f"{name} {value}" for name, value in form.items() if value != PLAIN[name])
        raise InputError(
            f"no family of transformers has {other} together; train with the options of one family, which "
            "docs/training.md lists, or use the checkpoint's safetensors files"
        )
    whole = architecture.heads * architecture.head_width == architecture.width
    if kind == "gpt2" and not (whole and architecture.heads == architecture.kv_heads):
        raise InputError("transformers' GPT-2 has neither kv_heads nor head_width of its own; leave them out to export")
    for name in ("norm.weight", "attention.query.weight", "attention.query_norm.weight"):
        factor = architecture.factor(name)
        if math.frexp(factor)[0] != 0.5:
            raise InputError(
                f"maximal update scaling of {name} by {factor:.4g} would change bits of weights; to export, width / "
                "base_width and the root of head_width must be powers of two; or use the checkpoint's safetensors files"
            )
    return kind


def _window(kind: str, stated: Mapping[str, Any]) -> int | None:
    """The window of all layers. Raises InputError where some layers alone have one."""
    window: int | None = stated.get("sliding_window")
    if kind == "mistral":
        return window
    if kind not in ("qwen2", "qwen3") or not stated.get("use_sliding_window"):
        return None
    layers = stated["num_hidden_layers"]
    first = stated.get("max_window_layers", 28)
    kinds = stated.get("layer_types", ["full"] * min(first, layers) + ["sliding_attention"] * (layers - first))
    if len({*kinds}) > 1:
        raise InputError(
            f"use_sliding_window is True in config.json for some layers alone (max_window_layers {first}); only models "
            "with a window in all layers, or in none, can be read"
        )
    return window if kinds[0] == "sliding_attention" else None


def _rope(stated: Mapping[str, Any]) -> dict[str, Any]:
    """`rope_theta` and `rope_scaling`, which newer configs have in one mapping."""
    rope = {**stated.get("rope_scaling", {}), **stated.get("rope_parameters", {})}
    kind = rope.get("rope_type") or rope.get("type") or "default"
    refuse_others({**stated, **rope}, FIXED_ROPE)
    if kind not in ("default", "linear", "yarn", "llama3"):
        raise InputError(
            f"rope_type is {kind!r} in config.json; only models with default, linear, yarn or llama3 can be read"
        )
    if unknown := sorted(rope.keys() - {"type", "rope_theta", *ROPE.values(), *FIXED_ROPE}):
        raise InputError(f"rope_parameters have {unknown[0]} in config.json; only models without can be read")
    theta = rope.get("rope_theta") or stated.get("rope_theta", 10_000.0)
    if kind == "default":
        return {"rope_theta": theta, "rope_scaling": UNSCALED}
    rope |= {"rope_type": kind}
    rope.setdefault(ROPE["original_length"], stated.get("max_position_embeddings"))
    given: dict[str, Any] = {ours: rope.get(ROPE[ours]) for ours in ("type", "factor", *RopeScaling.own[kind])}
    return {"rope_theta": theta, "rope_scaling": RopeScaling(**given)}


def _stated_rope(architecture: Decoder) -> dict[str, Any]:
    """As older configs have it, which newer versions read too."""
    scaling = architecture.rope_scaling
    theta = architecture.rope_theta
    if scaling.type in ("none", "ntk"):  # ntk is nothing but another base
        longer = ntk_theta(architecture.head_width, theta, scaling)
        return {"rope_theta": theta if scaling.type == "none" else longer, "rope_scaling": None}
    stated = {ROPE[name]: value for name, value in asdict(scaling).items() if value is not None}
    return {"rope_theta": theta, "rope_scaling": stated}
