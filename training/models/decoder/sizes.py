"""The sizes and options of a decoder, and which fit together.

Presets to 30m are ours; 125m and 350m have the layers, width and heads of Brown et al. 2020 (arXiv:2005.14165), table
2.1; 7b and 13b are those of Touvron et al. 2023, "Llama 2" (arXiv:2307.09288), as of LLaMA before; 34b is Code Llama
(arXiv:2308.12950); 8b, 70b and 405b are those of Grattafiori et al. 2024, "The Llama 3 Herd of Models"
(arXiv:2407.21783), table 3; 3b is Llama 3.2, and so is 1b but for wider heads. Llama 2 70B has the sizes of 70b, with
`rope_theta: 10_000`. gpt2 is the smallest of Radford et al. 2019, "Language Models are Unsupervised Multitask
Learners"; qwen3_0.6b has the options published with the weights of Yang et al. 2025, "Qwen3 Technical Report"
(arXiv:2505.09388).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from curation.core.errors import InputError
from training.config.ranges import check_least, check_positive
from training.models.rope_scaling import UNSCALED, RopeScaling
from training.models.sizes import OF_PRESET, Sizes

LLAMA_3 = {"kv_heads": 8, "rope_theta": 500_000.0}
PRESETS: Mapping[str, Mapping[str, Any]] = {
    "1m": {"layers": 4, "width": 128, "heads": 4},
    "3m": {"layers": 4, "width": 192, "heads": 6},
    "10m": {"layers": 6, "width": 320, "heads": 5},
    "30m": {"layers": 8, "width": 512, "heads": 8},
    "125m": {"layers": 12, "width": 768, "heads": 12},
    "350m": {"layers": 24, "width": 1024, "heads": 16},
    "1b": LLAMA_3 | {"layers": 16, "width": 2048, "heads": 16, "hidden": 8192},
    "3b": LLAMA_3 | {"layers": 28, "width": 3072, "heads": 24, "hidden": 8192},
    "7b": {"layers": 32, "width": 4096, "heads": 32, "hidden": 11008, "tied_embeddings": False},
    "8b": LLAMA_3 | {"layers": 32, "width": 4096, "heads": 32, "hidden": 14336, "tied_embeddings": False},
    "13b": {"layers": 40, "width": 5120, "heads": 40, "hidden": 13824, "tied_embeddings": False},
    "34b": {
        **{"layers": 48, "width": 8192, "heads": 64, "kv_heads": 8, "hidden": 22016, "tied_embeddings": False},
        "rope_theta": 1_000_000.0,
    },
    "70b": LLAMA_3 | {"layers": 80, "width": 8192, "heads": 64, "hidden": 28672, "tied_embeddings": False},
    "405b": LLAMA_3 | {"layers": 126, "width": 16384, "heads": 128, "hidden": 53248, "tied_embeddings": False},
    "gpt2": {
        **{"layers": 12, "width": 768, "heads": 12, "hidden": 3072},
        **{"norm": "layer", "feed_forward": "gelu", "biases": "all", "learned_positions": 1024},
    },
    "qwen3_0.6b": {
        **{"layers": 28, "width": 1024, "heads": 16, "kv_heads": 8, "head_width": 128, "hidden": 3072},
        **{"norm_epsilon": 1e-6, "rope_theta": 1_000_000.0, "qk_norm": True},
    },
}


@dataclass(frozen=True, kw_only=True)
class DecoderSizes(Sizes):
    """The options of `Decoder`."""

    preset: Annotated[str, f"sizes for options that are None: {', '.join(PRESETS)}"] = "3m"
    kv_heads: Annotated[int, "key and value heads, shared by groups of query heads; else as many as `heads`"] = (
        OF_PRESET
    )
    tied_embeddings: Annotated[bool, "the output projection is the embedding; else true"] = OF_PRESET
    norm: Annotated[Literal["rms", "layer"], "RMSNorm or LayerNorm; else rms"] = OF_PRESET
    norm_position: Annotated[
        Literal["before", "after"], "each half of a block is normalised before it reads or after it wrote; else before"
    ] = OF_PRESET
    norm_epsilon: Annotated[float, "added to the mean square that a norm divides by; else 1e-5"] = OF_PRESET
    feed_forward: Annotated[
        Literal["swiglu", "gelu"], "a gate through SiLU, or none and GELU in its tanh form; else swiglu"
    ] = OF_PRESET
    biases: Annotated[
        Literal["none", "qkv", "all"],
        "of queries, keys and values; or of all matrices in blocks and LayerNorms; else none",
    ] = OF_PRESET
    qk_norm: Annotated[
        bool | Literal["width"], "queries and keys are normalised within each head; width: over all heads; else false"
    ] = OF_PRESET
    rope_theta: Annotated[float, "base of the rotary wavelengths; else 10,000"] = OF_PRESET
    rope_scaling: Annotated[RopeScaling, "of rotary positions, for longer rows than before"] = UNSCALED
    learned_positions: Annotated[
        int | None, "longest row of a model that learns a vector for each position; None: positions are rotary"
    ] = None
    sliding_window: Annotated[int | None, "last tokens that a token sees, with its own; None: all"] = None
    base_width: Annotated[
        int | None, "width from which rates and deviations are carried over by maximal update scaling; None: without"
    ] = None

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = PRESETS

    def __post_init__(self) -> None:
        super().__post_init__()
        self._fill({"kv_heads": self.heads, "tied_embeddings": True, "rope_theta": 10_000.0, "norm_epsilon": 1e-5})
        self._fill({"norm": "rms", "norm_position": "before", "feed_forward": "swiglu", "biases": "none"})
        self._fill({"qk_norm": False})
        check_least(self, 1, "kv_heads", "base_width", "learned_positions", "sliding_window")
        check_positive(self, "rope_theta")
        if self.heads % self.kv_heads:
            raise ValueError(f"heads {self.heads} is not a multiple of kv_heads {self.kv_heads}; change one of them")
        if self.learned_positions and self.rope_scaling.type != "none":
            raise ValueError("rope_scaling is of rotary positions, but learned_positions replace them; leave one out")

    def check_length(self, places: int) -> None:
        """As in Architecture."""
        if self.learned_positions and places > self.learned_positions:
            raise InputError(
                f"rows of {places:,} tokens are longer than learned_positions {self.learned_positions:,}; give shorter "
                "ones, or more learned_positions"
            )

    def factor(self, name: str) -> float:
        """As in Architecture: the scales of maximal update scaling, of the last norm and of queries."""
        if self.base_width is None:
            return 1.0
        if name.startswith("norm."):
            return self.base_width / self.width
        queries = "attention.query_norm." if self.qk_norm else "attention.query."
        return float(self.head_width**-0.5) if queries in name else 1.0

    def scale(self) -> float | None:
        """1 / head_width with maximal update scaling."""
        return 1 / self.head_width if self.base_width else None

    def deviation(self, inputs: int, *, writes: bool = False) -> float:
        """As in Sizes; with maximal update scaling over the root of the width multiplier."""
        deviation = super().deviation(inputs, writes=writes)
        if self.base_width is None or self.initialisation == "fan_in":
            return deviation
        return deviation * float((self.base_width / self.width) ** 0.5)
