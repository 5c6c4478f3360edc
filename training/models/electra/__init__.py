"""ELECTRA's pair: a small generator fills masked places, a discriminator tells what it replaced from what was there.

Source: Clark et al. 2020, "ELECTRA" (arXiv:2003.10555); electra_small and electra_base have the layers, widths and
heads of its table 6. Choices: both are laid out as `encoder`, with norms before each half; the generator's tokens are
drawn by a uniform number for each masked place, which the objective gives, and no gradient passes through the draw.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from training.batch import Kind
from training.config.ranges import check_least
from training.models.encoder.sizes import BERT, EncoderSizes
from training.models.sizes import OF_PRESET

if TYPE_CHECKING:  # slow to import
    from training.trainable import Trainable

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "mini": {"layers": 4, "width": 256, "heads": 4, "embedding_width": 128, "generator_divisor": 4},
    "electra_small": BERT | {"layers": 12, "width": 256, "heads": 4, "embedding_width": 128, "generator_divisor": 4},
    "electra_base": BERT | {"layers": 12, "width": 768, "heads": 12, "embedding_width": 768, "generator_divisor": 3},
}


@dataclass(frozen=True, kw_only=True)
class Electra(EncoderSizes):
    """Sizes of the discriminator, and what the generator's are of them. The reported loss is the generator's."""

    preset: Annotated[str, f"sizes for options that are None: {', '.join(PRESETS)}"] = "mini"
    embedding_width: Annotated[int, "of the embedding that both share"] = OF_PRESET
    generator_divisor: Annotated[int, "by which the generator's width, heads and hidden width are smaller"] = OF_PRESET

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = PRESETS
    kinds: ClassVar[tuple[Kind, ...]] = (Kind.REPLACED,)
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_least(self, 1, "embedding_width", "generator_divisor")
        if self.width % self.generator_divisor or self.heads % self.generator_divisor:
            raise ValueError(
                f"generator_divisor {self.generator_divisor} must divide width {self.width} and heads {self.heads}; "
                "change one of them"
            )

    def build(self, vocabulary: int) -> "Trainable":
        from training.models.electra.network import ElectraNetwork

        over = self.generator_divisor
        hidden = -(-self.hidden // over)
        small = replace(self, width=self.width // over, heads=self.heads // over, hidden=hidden, generator_divisor=1)
        return ElectraNetwork(self, small, vocabulary, width=self.embedding_width)
