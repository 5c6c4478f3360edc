"""An encoder laid out as ModernBERT: norms before each half, rotary positions, GeGLU, layers of local attention between
those that see all, no biases but that of the logits.

Source: Warner et al. 2024, "ModernBERT" (arXiv:2412.13663). Its embedding is also its output matrix, and labels are
predicted at their places only.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from training.batch import Kind
from training.models.encoder.sizes import EncoderSizes

if TYPE_CHECKING:  # slow to import
    from training.trainable import Trainable


@dataclass(frozen=True, kw_only=True)
class Encoder(EncoderSizes):
    """An encoder; what an objective's `seen` does not mark, only later places see."""

    kinds: ClassVar[tuple[Kind, ...]] = (Kind.PREFIXED,)
    version: ClassVar[int] = 1

    def build(self, vocabulary: int) -> "Trainable":
        from training.models.encoder.network import EncoderNetwork

        return EncoderNetwork(self, vocabulary)
