"""The prefix objective: a text's beginning is seen as a whole, each token behind it is predicted from those before it.

Documents that are kept apart have a prefix each, otherwise the row has one. Its length is drawn from 1 to one less than
the text's, all equally likely.
Source: Liu et al. 2018, "Generating Wikipedia by Summarizing Long Sequences" (arXiv:1801.10198); Raffel et al. 2020
(arXiv:1910.10683), section 3.2.1, for the draw.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from training.batch import Example, Kind, Row
from training.config.components import Objective
from training.objectives.text import documents_of


@dataclass(frozen=True, kw_only=True)
class PrefixLm(Objective):
    """Each token behind a prefix."""

    kind: ClassVar[Kind] = Kind.PREFIXED
    version: ClassVar[int] = 1

    def example(self, row: Row, rng: np.random.Generator) -> Example:
        """As in Objective; reads all L + 1 tokens."""
        documents = documents_of(row)
        real = documents != 0
        sizes = np.bincount(documents)
        sizes[0] = 0
        prefixes = 1 + (rng.random(len(sizes)) * (sizes - 1)).astype(np.int64)
        ends = np.cumsum(sizes) - sizes + prefixes  # counted over all tokens that are not padding
        seen = real & (np.cumsum(real) <= ends[documents])
        counts = real[1:] & ~seen[1:] & (documents[1:] == documents[:-1])
        tokens = row.tokens.astype(np.int64)
        return Example(
            inputs=tokens[:-1],
            segments=documents[:-1].copy(),
            labels=tokens[1:],
            weights=counts.astype(np.float32),
            seen=seen[:-1],
        )
