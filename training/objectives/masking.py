"""Which tokens of a row an objective hides from an encoder: single ones, whole words, or spans of words.

Units are drawn at random until their tokens are the share that is asked for; of the last one, only its first tokens
that are left of the share are hidden. The ends of documents are never hidden, and no unit reaches over one.
Source: Devlin et al. 2019, "BERT" (arXiv:1810.04805), and the whole-word masking of its second release; Joshi et al.
2020, "SpanBERT" (arXiv:1907.10529), section 3.1, for spans of 1 to 10 words with geometric lengths, 3.8 on average.
SpanBERT's loss at the boundaries of spans is left out: it needs a head of its own in the model.

Letters: L tokens of a row, N of them that can be hidden, K that are hidden in a row without padding.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from training.batch import ExampleShape, Ids, Marks, Row, SpecialIds
from training.config.components import Objective
from training.objectives.text import MASK, Text, between_ends, labels_of
from training.objectives.words import word_starts

# Of spans, those of at most 1 to 9 words; the others have 10.
SPAN_LENGTHS = (1 - 0.8 ** np.arange(1, 10)) / (1 - 0.8**10)


@dataclass(frozen=True, kw_only=True)
class Masking(Objective):
    """The share of the tokens that are hidden, and in what units."""

    probability: Annotated[float, "share of the tokens that are hidden"] = 0.15
    unit: Annotated[Literal["tokens", "words", "spans"], "that is hidden as a whole; spans are of words"] = "tokens"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.probability < 1:
            raise ValueError(f"probability is {self.probability}; give a number between 0 and 1")

    def tables(self) -> tuple[str, ...]:
        """Where words start."""
        return () if self.unit == "tokens" else ("begins_word",)

    def special(self, row: int) -> Mapping[str, Sequence[str]]:
        """The mask."""
        return MASK

    def shape(self, row: int) -> ExampleShape:
        """K labels."""
        return ExampleShape(inputs=row, labels=labels_of(row, self.probability))

    def hidden(self, text: Text, row: Row, rng: np.random.Generator) -> tuple[Ids, Ids]:
        """The places of at most K tokens, ascending, and the unit of each."""
        places = between_ends(text, row.ids)
        starts = self._starts(text, places, row.ids, rng)
        units = np.cumsum(starts) - 1
        firsts = np.flatnonzero(starts)
        lengths: Ids = np.bincount(units)
        order = rng.permutation(len(lengths))
        before = np.cumsum(lengths[order]) - lengths[order]
        hidden: Ids = np.empty_like(lengths)  # of each unit
        hidden[order] = round(len(places) * self.probability) - before
        taken = np.arange(len(places)) - firsts[units] < hidden[units]
        return places[taken], units[taken]

    def _starts(self, text: Text, places: Ids, ids: SpecialIds, rng: np.random.Generator) -> Marks:
        """bool[N]: whether a unit starts at each of the places."""
        if self.unit == "tokens":
            return np.ones(len(places), bool)
        tokens, documents = text.at(places)
        starts = np.ones(len(places), bool)
        starts[1:] = (np.diff(places) != 1) | (documents[1:] != documents[:-1])
        words = np.flatnonzero(starts | word_starts(tokens, ids))
        if self.unit == "spans":
            words = words[first_words(len(words), rng)]
        starts[words] = True
        return starts


def first_words(words: int, rng: np.random.Generator) -> Ids:
    """The numbers of the words with which spans start that lie end to end over all words."""
    lengths = 1 + np.searchsorted(SPAN_LENGTHS, rng.random(words), side="right")
    firsts = np.cumsum(lengths) - lengths
    return firsts[firsts < words]
