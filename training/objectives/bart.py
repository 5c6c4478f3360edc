"""BART's objective: an encoder reads corrupted text, a decoder writes the text as it was.

Corruptions, in this order: the sentences of a document are permuted; it begins with another token, and what was in
front of that goes to its end; tokens are deleted; tokens become masks; spans become one mask each. The defaults are the
paper's large model's: all sentences are permuted, and spans hold 30 % of the tokens. A begin of text stays first, an
end of text last.
Lengths of spans are Poisson-distributed; given the number of spans and of the tokens in them, which follow from the
row's length, that makes them multinomial. A span of no length adds its mask to the text.
Source: Lewis et al. 2020, "BART" (arXiv:1910.13461), sections 2.2 and 5.1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from training.batch import Example, ExampleShape, Ids, Kind, Numbers, Row, SpecialIds
from training.config.components import Objective
from training.config.ranges import check_fraction, check_positive
from training.objectives.spans import ReplacedSpans
from training.objectives.text import MASK, Text, begins_of_text, later, pair, runs, text_of, without_padding


@dataclass(frozen=True, kw_only=True)
class Bart(Objective):
    """How much is corrupted in each way."""

    permuted_sentences: Annotated[bool, "in each document"] = True
    rotation: Annotated[float, "share of the documents that begin elsewhere"] = 0.0
    deletion: Annotated[float, "share of the tokens that are deleted"] = 0.0
    masking: Annotated[float, "share of the remaining tokens that become masks"] = 0.0
    infilling: Annotated[float, "share of the remaining tokens that are in spans"] = 0.3
    mean_span_length: Annotated[float, "tokens"] = 3.0

    kind: ClassVar[Kind] = Kind.PAIR
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_fraction(self, "deletion", "infilling", "masking")
        check_positive(self, "mean_span_length")
        if not 0 <= self.rotation <= 1:
            raise ValueError(f"rotation is {self.rotation}; give a number from 0 to 1")
        if not (self.permuted_sentences or self.rotation or self.deletion or self.infilling or self.masking):
            raise ValueError("rotation, deletion, infilling and masking are 0 and no sentences are permuted; give one")

    def tables(self) -> tuple[str, ...]:
        """Where sentences end."""
        return ("ends_sentence",) if self.permuted_sentences else ()

    def special(self, row: int) -> Mapping[str, Sequence[str]]:
        """The mask."""
        return MASK

    def shape(self, row: int) -> ExampleShape:
        """What is left and a mask for each span; the whole row."""
        deleted, held, spans = self._counts(row)
        inputs = row - deleted - held + spans
        if row < 2 or not inputs:
            raise ValueError(f"rows of {row} tokens are too short: nothing is left to read; give more, or corrupt less")
        return ExampleShape(inputs=inputs, labels=row, targets=row)

    def example(self, row: Row, rng: np.random.Generator) -> Example:
        """As in Objective."""
        text = text_of(row)
        real = text.documents != 0
        text = without_padding(text)
        noisy = text.at(self._order(text.tokens, row.segments[1:][real], row.ids, rng))
        return pair(self._noisy(noisy, row.ids, rng), text, self.shape(len(real)), row.ids)

    def _counts(self, tokens: int) -> tuple[int, int, int]:
        """How many tokens are deleted, how many are in spans, and in how many."""
        deleted = round(tokens * self.deletion)
        held = round((tokens - deleted) * self.infilling)
        spans = max(round(held / self.mean_span_length), min(held, 1))
        return deleted, held, min(spans, tokens - deleted - held + 1)

    def _noisy(self, text: Text, ids: SpecialIds, rng: np.random.Generator) -> Text:
        mask = ids.named["mask"]
        deleted, held, count = self._counts(len(text.tokens))
        if deleted:
            stays = np.ones(len(text.tokens), bool)
            stays[rng.permutation(len(stays))[:deleted]] = False
            text = text.at(stays)
        if self.masking:
            size = len(text.tokens)
            text.tokens[rng.permutation(size)[: round(size * self.masking)]] = mask
        if not held:
            return text
        kept = np.sort(rng.permutation(len(text.tokens) - held + 1)[:count])
        lengths = np.bincount(rng.integers(count, size=held), minlength=count)
        return ReplacedSpans(text, kept, lengths, np.full(count, mask)).left()

    def _order(self, tokens: Ids, segments: Numbers, ids: SpecialIds, rng: np.random.Generator) -> Ids:
        """The tokens' order, in which documents stay where they are, and a begin of text the first and an end of text
        the last of its own."""
        last = np.concatenate([segments[1:], [0]]) != segments
        ends = last & (tokens == ids.end_of_text)
        heads = later(last, True) & begins_of_text(tokens, ids) & ~ends
        order = np.arange(len(tokens))
        if self.permuted_sentences:
            assert ids.ends_sentence is not None, "the table that it asks for"
            before_end = np.concatenate([ends[1:], [False]])[: len(ends)]
            stops = np.flatnonzero(last | heads | ids.ends_sentence[tokens] | before_end) + 1
            starts = later(stops, 0)
            turns = np.where(ends[starts], 1.5, rng.random(len(starts)))  # within the document, whose own is up to 2
            keys = 2 * segments[starts] + np.where(heads[starts], -0.25, turns)
            sentences = np.argsort(keys, kind="stable")
            order = runs(starts[sentences], (stops - starts)[sentences])
        if self.rotation:
            stops = np.flatnonzero(last) + 1
            starts = later(stops, 0)
            fronts = starts + heads[starts]
            bodies = stops - fronts - ends[stops - 1]
            draws = rng.random((2, len(stops)))
            begins = (draws[0] * bodies * (draws[1] < self.rotation)).astype(np.int64)
            pieces = np.array([starts, fronts + begins, fronts, fronts + bodies]).T
            lengths = np.array([fronts - starts, bodies - begins, begins, ends[stops - 1]]).T
            order = order[runs(pieces.ravel(), lengths.ravel())]
        return order
