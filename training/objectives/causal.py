"""The causal objective: predict each token from those before it.

Every slot of a row is a label, except the first and padding. The first token of a document inside a row is predicted
from the end of the document before it, unless documents are kept apart: then it is no label. B rows, L labels.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from training.batch import Example, Row
from training.config.components import Objective


@dataclass(frozen=True, kw_only=True)
class Causal(Objective):
    """Each token from those before it, without any draw."""

    version: ClassVar[int] = 2

    def example(self, row: Row, rng: np.random.Generator) -> Example:
        """As in Objective; `rng` is unused."""
        del rng
        before = row.segments[:-1]
        after = row.segments[1:]
        counts = after != 0
        if row.apart:
            counts &= before == after
        tokens = row.tokens.astype(np.int64)
        return Example(inputs=tokens[:-1], segments=before.copy(), labels=tokens[1:], weights=counts.astype(np.float32))
