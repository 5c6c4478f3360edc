"""A Llama-style causal decoder: RMSNorm, rotary positions, SwiGLU, grouped key and value heads, no biases.

Source: Touvron et al. 2023, "LLaMA" (arXiv:2302.13971); Su et al. 2021, "RoFormer" (arXiv:2104.09864); Shazeer 2020,
"GLU Variants Improve Transformer" (arXiv:2002.05202); Ainslie et al. 2023, "GQA" (arXiv:2305.13245).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from training.models.decoder.sizes import DecoderSizes

if TYPE_CHECKING:  # slow to import
    from training.trainable import Trainable


@dataclass(frozen=True, kw_only=True)
class Decoder(DecoderSizes):
    """A decoder with RMSNorm before each half of a block."""

    version: ClassVar[int] = 1

    def build(self, vocabulary: int, seed: int) -> "Trainable":
        """A decoder of this size with the weights of `seed`."""
        from training.models.decoder.network import DecoderNetwork, initialise

        network = DecoderNetwork(self, vocabulary)
        initialise(network, seed)
        return network
