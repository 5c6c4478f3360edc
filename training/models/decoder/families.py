"""Families of decoders in transformers: the options of ours that they have, and their names of options and tensors."""

from collections.abc import Mapping
from typing import Any, NamedTuple

# Options that decide a family, and what they are in most; of numbers, whether they are given.
PLAIN: dict[str, Any] = {
    **{"norm": "rms", "norm_position": "before", "feed_forward": "swiglu", "biases": "none", "qk_norm": False},
    **{"sliding_window": False, "learned_positions": False},
}
# The `model_type` of decoders that differ so from plain ones.
FORMS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("llama", {}),
    ("llama", {"biases": "all"}),
    ("mistral", {"sliding_window": True}),
    ("qwen2", {"biases": "qkv"}),
    ("qwen2", {"biases": "qkv", "sliding_window": True}),
    ("qwen3", {"qk_norm": True}),
    ("qwen3", {"qk_norm": True, "sliding_window": True}),
    ("olmo2", {"norm_position": "after", "qk_norm": "width"}),
    ("gpt2", {"norm": "layer", "feed_forward": "gelu", "biases": "all", "learned_positions": True}),
)
# Our names of sizes, and those of all families but GPT-2, and of that; "" where it has none.
SIZES = (
    ("vocabulary", "vocab_size", "vocab_size"),
    ("layers", "num_hidden_layers", "n_layer"),
    ("width", "hidden_size", "n_embd"),
    ("heads", "num_attention_heads", "n_head"),
    ("kv_heads", "num_key_value_heads", ""),
    ("head_width", "head_dim", ""),
    ("hidden", "intermediate_size", "n_inner"),
    ("norm_epsilon", "rms_norm_eps", "layer_norm_epsilon"),
    ("tied_embeddings", "tie_word_embeddings", "tie_word_embeddings"),
    ("learned_positions", "", "n_positions"),
)
# And so of modules, at first outside of blocks.
MODULES = (
    ("embedding", "model.embed_tokens", "transformer.wte"),
    ("position_embedding", "", "transformer.wpe"),
    ("norm", "model.norm", "transformer.ln_f"),
    ("head", "lm_head", "lm_head"),
    ("blocks", "model.layers", "transformer.h"),
    ("attention_norm", "input_layernorm", "ln_1"),
    ("attention.query", "self_attn.q_proj", "attn.c_attn"),
    ("attention.query_norm", "self_attn.q_norm", ""),
    ("attention.key", "self_attn.k_proj", "attn.c_attn"),
    ("attention.key_norm", "self_attn.k_norm", ""),
    ("attention.value", "self_attn.v_proj", "attn.c_attn"),
    ("attention.output", "self_attn.o_proj", "attn.c_proj"),
    ("attention_output_norm", "post_attention_layernorm", ""),
    ("feed_forward_norm", "post_attention_layernorm", "ln_2"),
    ("feed_forward.gate", "mlp.gate_proj", ""),
    ("feed_forward.up", "mlp.up_proj", "mlp.c_fc"),
    ("feed_forward.down", "mlp.down_proj", "mlp.c_proj"),
    ("feed_forward_output_norm", "post_feedforward_layernorm", ""),
)


class Family(NamedTuple):
    """Options in the configs of a family besides sizes."""

    architecture: str
    absent: Mapping[str, Any] = {}  # values of options that a config leaves out
    fixed: Mapping[str, Any] = {"hidden_act": "silu", "attention_bias": False}  # the only values that ours has


FAMILIES: Mapping[str, Family] = {
    "llama": Family("LlamaForCausalLM", fixed={"hidden_act": "silu"}),
    "mistral": Family("MistralForCausalLM", {"num_key_value_heads": 8, "sliding_window": 4096}),
    "qwen2": Family("Qwen2ForCausalLM", {"num_key_value_heads": 32}),
    "qwen3": Family("Qwen3ForCausalLM", {"num_key_value_heads": 32, "head_dim": 128}),
    "olmo2": Family("Olmo2ForCausalLM"),
    "gpt2": Family(
        "GPT2LMHeadModel",
        {"tie_word_embeddings": True},
        {
            **{"activation_function": "gelu_new", "scale_attn_weights": True, "add_cross_attention": False},
            "scale_attn_by_inverse_layer_idx": False,
        },
    ),
}


def names_of(kind: str, table: tuple[tuple[str, str, str], ...]) -> dict[str, str]:
    """Our names -> those of a family."""
    column = 2 if kind == "gpt2" else 1
    return {row[0]: row[column] for row in table if row[column]}
