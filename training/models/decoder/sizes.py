"""The sizes of a decoder, and which fit together."""

from dataclasses import dataclass
from typing import Annotated

from training.config.components import Architecture
from training.config.ranges import check_least, check_positive


@dataclass(frozen=True, kw_only=True)
class DecoderSizes(Architecture):
    """The options of `Decoder`."""

    layers: Annotated[int, "blocks of attention and feed-forward"] = 4
    width: Annotated[int, "of the residual stream"] = 192
    heads: Annotated[int, "query heads; width / heads is the width of one head"] = 6
    kv_heads: Annotated[
        int | None, "key and value heads, shared by groups of query heads; None: as many as `heads`"
    ] = None
    hidden: Annotated[
        int | None, "inner width of the feed-forward half; None: 8/3 of `width`, up to a multiple of 64"
    ] = None
    tied_embeddings: Annotated[bool, "the output projection is the embedding"] = True
    attend_across_documents: Annotated[bool, "False: a token sees only its own document (slower, needs a mask)"] = True
    rope_theta: Annotated[float, "base of the rotary wavelengths"] = 10_000.0
    norm_epsilon: Annotated[float, "added to the mean square that a norm divides by"] = 1e-5
    initial_deviation: Annotated[float, "standard deviation of the initial weights"] = 0.02

    def __post_init__(self) -> None:
        super().__post_init__()
        check_least(self, 1, "layers", "width", "heads", "kv_heads", "hidden")
        check_positive(self, "rope_theta", "norm_epsilon", "initial_deviation")
        if self.width % self.heads or self.width // self.heads % 2:
            raise ValueError(
                f"width {self.width} over heads {self.heads} must give an even whole number, because rotary positions "
                "turn pairs; change one of them"
            )
        if self.heads % self.key_value_heads:
            raise ValueError(f"heads {self.heads} is not a multiple of kv_heads {self.kv_heads}; change one of them")

    @property
    def head_width(self) -> int:
        return self.width // self.heads

    @property
    def key_value_heads(self) -> int:
        return self.heads if self.kv_heads is None else self.kv_heads

    @property
    def hidden_width(self) -> int:
        return -(-8 * self.width // 3 // 64) * 64 if self.hidden is None else self.hidden
