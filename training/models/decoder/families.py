"""Families of decoders in transformers: the options of ours that they have, and their names of tensors."""

from collections.abc import Mapping
from typing import Any, NamedTuple

# What decides a family, besides sizes, and what most have. An option that is a size counts as true where it is given.
PLAIN: Mapping[str, Any] = {
    "norm": "rms",
    "norm_position": "before",
    "feed_forward": "swiglu",
    "biases": "none",
    "qk_norm": False,
    "sliding_window": False,
    "learned_positions": False,
}
# The `model_type` of decoders that differ so from plain ones.
FORMS: tuple[tuple[str, Mapping[str, Any]], ...] = (
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

SIZES: Mapping[str, str] = {  # ours -> theirs
    "vocabulary": "vocab_size",
    "layers": "num_hidden_layers",
    "width": "hidden_size",
    "heads": "num_attention_heads",
    "kv_heads": "num_key_value_heads",
    "head_width": "head_dim",
    "hidden": "intermediate_size",
    "norm_epsilon": "rms_norm_eps",
    "tied_embeddings": "tie_word_embeddings",
}
OUTSIDE: Mapping[str, str] = {"embedding": "model.embed_tokens", "norm": "model.norm", "head": "lm_head"}
INSIDE: Mapping[str, str] = {  # of a block
    "attention_norm": "input_layernorm",
    "attention.query": "self_attn.q_proj",
    "attention.query_norm": "self_attn.q_norm",
    "attention.key": "self_attn.k_proj",
    "attention.key_norm": "self_attn.k_norm",
    "attention.value": "self_attn.v_proj",
    "attention.output": "self_attn.o_proj",
    "attention_output_norm": "post_attention_layernorm",
    "feed_forward_norm": "post_attention_layernorm",
    "feed_forward.gate": "mlp.gate_proj",
    "feed_forward.up": "mlp.up_proj",
    "feed_forward.down": "mlp.down_proj",
    "feed_forward_output_norm": "post_feedforward_layernorm",
}


class Family(NamedTuple):
    """Most are named as Llama's."""

    architecture: str
    absent: Mapping[str, Any] = {}  # values of their options where a config has not got them
    fixed: Mapping[str, Any] = {"hidden_act": "silu", "attention_bias": False}  # values that their options must have
    sizes: Mapping[str, str] = SIZES
    outside: Mapping[str, str] = OUTSIDE
    blocks: str = "model.layers"
    inside: Mapping[str, str] = INSIDE
    transposed: bool = False  # matrices of blocks are [inputs, outputs]


FAMILIES: Mapping[str, Family] = {
    "llama": Family("LlamaForCausalLM", fixed={"hidden_act": "silu"}),
    "mistral": Family("MistralForCausalLM", {"num_key_value_heads": 8, "sliding_window": 4096}),
    "qwen2": Family("Qwen2ForCausalLM", {"num_key_value_heads": 32}),
    "qwen3": Family("Qwen3ForCausalLM", {"num_key_value_heads": 32, "head_dim": 128}),
    "olmo2": Family("Olmo2ForCausalLM"),
    "gpt2": Family(
        "GPT2LMHeadModel",
        absent={"tie_word_embeddings": True},
        fixed={
            "activation_function": "gelu_new",
            "scale_attn_weights": True,
            "scale_attn_by_inverse_layer_idx": False,
            "add_cross_attention": False,
        },
        sizes={
            "vocabulary": "vocab_size",
            "layers": "n_layer",
            "width": "n_embd",
            "heads": "n_head",
            "hidden": "n_inner",
            "norm_epsilon": "layer_norm_epsilon",
            "tied_embeddings": "tie_word_embeddings",
            "learned_positions": "n_positions",
        },
        outside={
            "embedding": "transformer.wte",
            "position_embedding": "transformer.wpe",
            "norm": "transformer.ln_f",
            "head": "lm_head",
        },
        blocks="transformer.h",
        inside={
            "attention_norm": "ln_1",
            "attention.query": "attn.c_attn",
            "attention.key": "attn.c_attn",
            "attention.value": "attn.c_attn",
            "attention.output": "attn.c_proj",
            "feed_forward_norm": "ln_2",
            "feed_forward.up": "mlp.c_fc",
            "feed_forward.down": "mlp.c_proj",
        },
        transposed=True,
    ),
}
