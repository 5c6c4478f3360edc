"""An encoder-decoder laid out as T5 v1.1: RMSNorm before each half, gated GELU, learned biases of relative positions,
scores that are not scaled, an output matrix of its own, no other biases.

Source: Raffel et al. 2019, "T5" (arXiv:1910.10683); v1.1, whose released sizes the presets from t5_small on have, is
Shazeer 2020 (arXiv:2002.05202) and an untied output matrix, which begins by its inputs as in Roberts et al. 2022, "T5X"
(arXiv:2203.17189).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from training.batch import Kind
from training.models.sizes import Sizes

if TYPE_CHECKING:  # slow to import
    from training.trainable import Trainable

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "t5_tiny": {"layers": 3, "width": 192, "heads": 3, "head_width": 64, "hidden": 512},
    "t5_small": {"layers": 8, "width": 512, "heads": 6, "head_width": 64, "hidden": 1024},
    "t5_base": {"layers": 12, "width": 768, "heads": 12, "head_width": 64, "hidden": 2048},
    "t5_large": {"layers": 24, "width": 1024, "heads": 16, "head_width": 64, "hidden": 2816},
    "t5_xl": {"layers": 24, "width": 2048, "heads": 32, "head_width": 64, "hidden": 5120},
}


@dataclass(frozen=True, kw_only=True)
class EncoderDecoder(Sizes):
    """The encoder sees all of a document, the decoder what is not later and all that the encoder made of the document;
    each has so many `layers`."""

    preset: Annotated[str, f"sizes for options that are None: {', '.join(PRESETS)}"] = "t5_tiny"
    norm_epsilon: Annotated[float, "added to the mean square that a norm divides by"] = 1e-6
    initialisation: Annotated[
        Literal["scaled", "plain", "fan_in"], "deviation of the initial matrices; T5's is fan_in, with embeddings of 1"
    ] = "fan_in"

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = PRESETS
    turns_pairs: ClassVar[bool] = False
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.PAIR,)
    version: ClassVar[int] = 1

    def build(self, vocabulary: int) -> "Trainable":
        from training.models.encoder_decoder.network import EncoderDecoderNetwork

        return EncoderDecoderNetwork(self, vocabulary)

    def scale(self) -> float:
        return 1.0
