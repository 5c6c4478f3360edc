"""The sizes of a decoder, and which fit together."""

from dataclasses import dataclass

from training.config.components import Architecture
from training.config.ranges import check_least, check_positive


@dataclass(frozen=True, kw_only=True)
class DecoderSizes(Architecture):
    """The options of `Decoder`."""

    layers: int = 4  # blocks of attention and feed-forward
    width: int = 192  # of the residual stream
    heads: int = 6  # query heads; width / heads is the width of one head
    kv_heads: int | None = None  # key and value heads, shared by groups of query heads; None: as many as `heads`
    hidden: int | None = None  # inner width of the feed-forward half; None: 8/3 of `width`, up to a multiple of 64
    tied_embeddings: bool = True  # the output projection is the embedding
    attend_across_documents: bool = True  # False: a token sees only its own document (slower, needs a mask)
    rope_theta: float = 10_000.0  # base of the rotary wavelengths
    norm_epsilon: float = 1e-5  # added to the mean square that a norm divides by
    initial_deviation: float = 0.02  # standard deviation of the initial weights

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
