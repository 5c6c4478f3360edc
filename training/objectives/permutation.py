"""Permutation language modelling, XLNet's objective: tokens are predicted in a drawn order, from those before in it.

Only the last sixth of the order is predicted. It is made of spans of 1 to 5 tokens, each drawn from a stretch of the
row that is six times as long, and has an order of its own like all before it. The ends of documents are not predicted.
Source: Yang et al. 2019, "XLNet" (arXiv:1906.08237), sections 2.3 and 3.1 (K = 6; 85 of 512 tokens). Its released code
lets the tokens that are not predicted see each other and begins spans at words; the order here is the paper's.

Letters: L tokens of a row, N that can be predicted, K that are predicted in a row without padding.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from training.batch import Example, ExampleShape, Ids, Kind, Row
from training.config.components import Objective
from training.objectives.text import between_ends, labels_of, predicted, runs, text_of

LONGEST = 5  # tokens of a span


@dataclass(frozen=True, kw_only=True)
class Permutation(Objective):
    """How much of the order is predicted."""

    predicted: Annotated[float, "share of the tokens, the last ones of the order"] = 1 / 6

    kind: ClassVar[Kind] = Kind.PERMUTED
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.predicted < 1:
            raise ValueError(f"predicted is {self.predicted}; give a number between 0 and 1")

    def shape(self, row: int) -> ExampleShape:
        """K labels."""
        return ExampleShape(inputs=row, labels=labels_of(row, self.predicted))

    def example(self, row: Row, rng: np.random.Generator) -> Example:
        """As in Objective; padding has the last turns."""
        text = text_of(row)
        length = len(text.tokens)
        possible = between_ends(text, row.ids)
        places = possible[_in_spans(len(possible), round(len(possible) * self.predicted), rng)]
        first = text.documents != 0
        first[places] = False
        padding = np.flatnonzero(text.documents == 0)
        order = np.empty(length, np.int32)
        turns = [rng.permutation(np.flatnonzero(first)), rng.permutation(places), padding]
        order[np.concatenate(turns)] = np.arange(length)
        count = self.shape(length).labels
        return predicted(text, text.tokens[places], places, count, row.ids, order=order)


def _in_spans(size: int, count: int, rng: np.random.Generator) -> Ids:
    """int64[count] of the numbers below `size`, ascending: spans, one in each of the stretches that the numbers are cut
    into in proportion to the spans' lengths; the last is shorter where `count` ends."""
    lengths = rng.integers(1, LONGEST + 1, count)
    ends = np.minimum(np.cumsum(lengths), count)
    begins = np.concatenate([[0], ends[:-1]])[:count]
    lengths = ends - begins
    stretches = begins * size // max(count, 1)
    room = ends * size // max(count, 1) - stretches - lengths
    starts = stretches + (rng.random(count) * (room + 1)).astype(np.int64)
    return runs(starts, lengths)
