"""UL2's mixture of denoisers: span corruption with few, with many or with long spans, or of the end of the text alone.

Each row takes one of seven denoisers, all equally likely, which an id of its mode in front of each document names:

    R   spans of 3 or 8 tokens that hold 15 %
    S   one span, the last 25 % of the text
    X   spans of 3 or 8 tokens that hold 50 %, or of 64 that hold 15 or 50 %

A row has places for the largest of the seven, in the encoder and in the decoder. Inputs that grow past them by the
modes of further documents are cut at the end.
Source: Tay et al. 2022, "UL2: Unifying Language Learning Paradigms" (arXiv:2205.05131), section 3.1 and its table of
denoisers. Spans are drawn as T5's (see `spans`), where the paper has normal or uniform lengths.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf
from typing import ClassVar

import numpy as np

from training.batch import Example, ExampleShape, Kind, Row
from training.config.components import Objective
from training.objectives.spans import ReplacedSpans, corrupted, noise, sentinels
from training.objectives.text import later, pair, text_of, without_padding

# Mode, share of the tokens that is in spans, mean length of a span; an infinite one is a single span.
DENOISERS = (
    ("mode_r", 0.15, 3),
    ("mode_r", 0.15, 8),
    ("mode_s", 0.25, inf),
    ("mode_x", 0.5, 3),
    ("mode_x", 0.5, 8),
    ("mode_x", 0.15, 64),
    ("mode_x", 0.5, 64),
)
MODES = {"mode_r": ("[R]", "[NLU]"), "mode_s": ("[S]", "[S2S]"), "mode_x": ("[X]", "[NLG]")}


@dataclass(frozen=True, kw_only=True)
class Ul2(Objective):
    """One of the paper's denoisers for each row."""

    kind: ClassVar[Kind] = Kind.PAIR
    version: ClassVar[int] = 1

    def special(self, row: int) -> Mapping[str, Sequence[str]]:
        """The modes, and sentinels for the most spans."""
        return {**MODES, **sentinels(max(noise(row, density, mean_length)[1] for _, density, mean_length in DENOISERS))}

    def shape(self, row: int) -> ExampleShape:
        """The most that any denoiser needs, with a mode's id and the ends."""
        return _largest(row)

    def example(self, row: Row, rng: np.random.Generator) -> Example:
        """As in Objective."""
        mode, density, mean_length = DENOISERS[rng.integers(len(DENOISERS))]
        left, taken = corrupted(without_padding(text_of(row)), density, mean_length, row.ids, rng)
        firsts = np.flatnonzero(later(left.documents, 0) != left.documents)
        marks = np.full(len(firsts), row.ids.named[mode])
        inputs = ReplacedSpans(left, firsts, np.zeros_like(firsts), marks).left() if len(firsts) else left
        return pair(inputs, taken, self.shape(len(row.tokens) - 1), row.ids)


@cache
def _largest(row: int) -> ExampleShape:
    if row < 2:
        raise ValueError(f"rows of {row} tokens are too short for spans to be left out; give 2 or more")
    counts = [noise(row, density, mean_length) for _, density, mean_length in DENOISERS]
    targets = max(held + spans + 1 for held, spans in counts)
    return ExampleShape(inputs=max(row - held + spans + 2 for held, spans in counts), labels=targets, targets=targets)
