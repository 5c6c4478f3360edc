"""Fill in the middle: a document's middle is moved behind its end, and each token is predicted from those before it.

    <prefix> P <suffix> S <middle> M        PSM
    <prefix> <suffix> S <middle> P M        SPM, in the form that shares its context with PSM

A begin of text stays in front of all, the end of text behind M. All tokens and ids count. Documents are cut after they
were packed, each part of one within a row like a whole one; those of fewer than three tokens stay as they are.

The row keeps its length. Padding makes room for the ids, and where there is too little, the last document gives its
first tokens behind the begin of text, like a prompt whose prefix is cropped. So it keeps its middle and its end of
text. If fewer than three tokens would be left of it, it is not cut.
Source: Bavarian et al. 2022, "Efficient Training of Language Models to Fill in the Middle" (arXiv:2207.14255), which
cuts between characters; here cuts are between tokens, so that a middle never begins within one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from training.batch import Example, ExampleShape, Ids, Marks, Row
from training.config.components import Objective
from training.objectives.causal import Causal
from training.objectives.text import begins_of_text, runs

LEAST = 3  # tokens of a document that is cut
# The pieces in PSM and in SPM: 0 begin of text, 1 P, 2 M, 3 S, 4 end of text, 5 <prefix>, 6 <suffix>, 7 <middle>.
ORDERS = np.array([[0, 5, 1, 6, 3, 7, 2, 4], [0, 5, 6, 3, 7, 1, 2, 4]])


@dataclass(frozen=True, kw_only=True)
class Fim(Objective):
    """How many documents are cut, and how their parts are ordered."""

    rate: Annotated[float, "share of the documents that are cut"] = 0.5
    spm_rate: Annotated[float, "share of these in the order suffix, prefix, middle"] = 0.5

    version: ClassVar[int] = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (0 <= self.rate <= 1 and 0 <= self.spm_rate <= 1):
            raise ValueError(f"rate is {self.rate} and spm_rate {self.spm_rate}; give numbers from 0 to 1")

    def special(self, row: int) -> Mapping[str, Sequence[str]]:
        """One for each part."""
        return {part: (f"<|fim_{part}|>", f"<fim_{part}>", f"<fim-{part}>") for part in ("prefix", "suffix", "middle")}

    def shape(self, row: int) -> ExampleShape:
        """As a causal row."""
        if row + 1 < LEAST + 3:
            raise ValueError(f"rows of {row} tokens are too short for a document in three parts; give 5 or more")
        return ExampleShape(inputs=row, labels=row)

    def example(self, row: Row, rng: np.random.Generator) -> Example:
        """As in Objective; reads all L + 1 tokens."""
        begins = np.flatnonzero(np.concatenate([[True], row.segments[1:] != row.segments[:-1]]))
        sizes = np.diff(np.append(begins, len(row.tokens)))
        starts, lengths = self._pieces(row, begins, sizes, rng)
        marks = [row.ids.named[name] for name in ("prefix", "suffix", "middle")]
        tokens = np.concatenate([row.tokens, marks])[runs(starts, lengths)[: len(row.tokens)]]
        segments = np.repeat(row.segments[begins], lengths.reshape(len(begins), -1).sum(axis=1))[: len(row.tokens)]
        return Causal().example(row._replace(tokens=tokens.astype(np.uint32), segments=segments), rng)

    def _pieces(self, row: Row, begins: Ids, sizes: Ids, rng: np.random.Generator) -> tuple[Ids, Ids]:
        """Where each piece of the new row starts in the old one, which the three ids follow, and how long it is. A
        document that is not cut has a single piece of any length."""
        numbers = np.arange(len(begins))
        heads = begins_of_text(row.tokens[begins], row.ids).astype(np.int64)
        bodies = sizes - (row.tokens[begins + sizes - 1] == row.ids.end_of_text) - heads
        draws = rng.random((4, len(begins)))
        cut = (row.segments[begins] != 0) & (bodies >= LEAST) & (draws[0] < self.rate)
        lost = _lost(sizes, bodies, cut)
        cuts = heads + lost + (draws[1:3] * (bodies - lost + 1)).astype(np.int64)
        ends = np.array([0 * sizes, heads, np.minimum(*cuts), np.maximum(*cuts), heads + bodies, sizes])
        ends[2:5, ~cut] = sizes[~cut]
        starts = np.empty((8, len(begins)), np.int64)
        starts[:5] = begins + ends[:5]
        starts[5:] = len(row.tokens) + np.arange(3)[:, None]
        lengths = np.empty_like(starts)
        lengths[:5] = ends[1:] - ends[:5]
        lengths[5:] = cut
        starts[1] += lost
        lengths[1] -= lost
        places = ORDERS[(draws[3] < self.spm_rate).astype(np.int64)]
        return starts[places, numbers[:, None]].ravel(), lengths[places, numbers[:, None]].ravel()


def _lost(sizes: Ids, bodies: Ids, cut: Marks) -> Ids:
    """int64[N]: how many of its first tokens each of N documents gives so that the row keeps its length. Takes back the
    cut of those that would be left with too few."""
    lost = np.zeros_like(sizes)
    while True:
        ends = np.cumsum(sizes + 3 * cut)
        last = np.searchsorted(ends, sizes.sum())
        over = ends[last] - sizes.sum()
        if not cut[last] or bodies[last] - over >= LEAST:
            lost[last] = min(over, bodies[last])
            return lost
        cut[last] = False
