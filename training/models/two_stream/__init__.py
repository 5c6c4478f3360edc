"""A model of permutations: one stream knows the tokens, the other the places that are predicted and not their tokens.

Source: Yang et al. 2019, "XLNet" (arXiv:1906.08237), section 2.3; xlnet_base and xlnet_large have its layers, width and
heads. Choices: the blocks are those of the decoder (RMSNorm before each half, SwiGLU), and positions are rotary instead
of the paper's relative encoding; nothing before the row is remembered.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from training.batch import Kind
from training.models.sizes import Sizes

if TYPE_CHECKING:  # slow to import
    from training.trainable import Trainable

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "mini": {"layers": 4, "width": 256, "heads": 4},
    "xlnet_base": {"layers": 12, "width": 768, "heads": 12},
    "xlnet_large": {"layers": 24, "width": 1024, "heads": 16},
}


@dataclass(frozen=True, kw_only=True)
class TwoStream(Sizes):
    """A place is predicted from those of an earlier turn; the embedding is also the output matrix."""

    preset: Annotated[str, f"sizes for options that are None: {', '.join(PRESETS)}"] = "mini"

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = PRESETS
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.PERMUTED,)
    version: ClassVar[int] = 1

    def build(self, vocabulary: int) -> "Trainable":
        from training.models.two_stream.network import TwoStreamNetwork

        return TwoStreamNetwork(self, vocabulary)
