"""A decoder, by default Llama's: RMSNorm, rotary positions, SwiGLU, grouped key and value heads, no biases.

    model: {decoder: {preset: 1b, qk_norm: true}}

Other options make it a Mistral, Qwen, OLMo 2 or GPT-2 model; docs/training.md has a table. Source: Touvron et al. 2023,
"LLaMA" (arXiv:2302.13971); Ainslie et al. 2023, "GQA" (arXiv:2305.13245). Maximal update scaling: Yang et al. 2022,
"Tensor Programs V" (arXiv:2203.03466), table 8.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from training.batch import Kind
from training.models.decoder.sizes import DecoderSizes

if TYPE_CHECKING:  # slow to import
    from training.trainable import Trainable


@dataclass(frozen=True, kw_only=True)
class Decoder(DecoderSizes):
    """A decoder whose blocks are all alike."""

    kinds: ClassVar[tuple[Kind, ...]] = (Kind.PLAIN, Kind.PREFIXED)
    version: ClassVar[int] = 2

    def build(self, vocabulary: int) -> "Trainable":
        from training.models.decoder.network import DecoderNetwork

        return DecoderNetwork(self, vocabulary)
