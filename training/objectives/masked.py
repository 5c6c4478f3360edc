"""Masked language modelling, BERT's objective: an encoder tells hidden tokens from all others.

Of the hidden units, 80 % become the mask, 10 % random tokens, and 10 % stay as they are.
Source: Devlin et al. 2019 (arXiv:1810.04805), section 3.1; see `masking`. As in SpanBERT, the tokens of a word or span
share the draw.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from training.batch import Example, Kind, Row
from training.objectives.masking import Masking
from training.objectives.text import predicted, text_of


@dataclass(frozen=True, kw_only=True)
class Masked(Masking):
    """What hidden tokens become."""

    mask_share: Annotated[float, "share of the hidden units that become the mask"] = 0.8
    random_share: Annotated[float, "share of the hidden units that become random tokens"] = 0.1

    kind: ClassVar[Kind] = Kind.PREFIXED
    version: ClassVar[int] = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        if min(self.mask_share, self.random_share) < 0 or self.mask_share + self.random_share > 1:
            raise ValueError(
                f"mask_share is {self.mask_share} and random_share {self.random_share}; give at most 1 together"
            )

    def example(self, row: Row, rng: np.random.Generator) -> Example:
        """As in Objective; a random token is any of the vocabulary."""
        text = text_of(row)
        places, units = self.hidden(text, row, rng)
        labels = text.tokens[places]
        draws = rng.random(len(text.tokens))[units]
        others = rng.integers(row.ids.size, size=len(places))
        masked = draws < self.mask_share
        random = draws < self.mask_share + self.random_share
        text.tokens[places] = np.where(masked, row.ids.named["mask"], np.where(random, others, labels))
        count = self.shape(len(text.tokens)).labels
        return predicted(text, labels, places, count, row.ids, seen=text.documents != 0)
