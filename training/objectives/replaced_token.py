"""Replaced token detection, ELECTRA's objective: a generator fills masks, a discriminator finds the tokens it changed.

The generator's token is drawn by the model, from one uniform number a place. All hidden tokens become the mask, as the
paper says; its released code leaves 15 % of them as they are. The paper hides 15 % in small and base models, 25 % in
large ones.
Source: Clark et al. 2020, "ELECTRA" (arXiv:2003.10555), section 2; see `masking` for what is hidden.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from training.batch import Example, Kind, Row
from training.config.ranges import check_positive
from training.objectives.masking import Masking
from training.objectives.text import predicted, text_of


@dataclass(frozen=True, kw_only=True)
class ReplacedToken(Masking):
    """How much the discriminator counts."""

    detection_weight: Annotated[float, "of the discriminator's mean loss beside the generator's"] = 50.0

    kind: ClassVar[Kind] = Kind.REPLACED
    version: ClassVar[int] = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self, "detection_weight")

    def example(self, row: Row, rng: np.random.Generator) -> Example:
        """As in Objective. A row's weights of detection add up to `detection_weight` times its labels, because the sum
        of all losses is divided by the number of labels."""
        text = text_of(row)
        places, _ = self.hidden(text, row, rng)
        labels = text.tokens[places]
        text.tokens[places] = row.ids.named["mask"]
        real = text.documents != 0
        share = self.detection_weight * len(labels) / max(int(real.sum()), 1)
        count = self.shape(len(text.tokens)).labels
        detection = (real * share).astype(np.float32)
        uniforms = rng.random(count, np.float32)
        return predicted(text, labels, places, count, row.ids, seen=real, uniforms=uniforms, detection=detection)
