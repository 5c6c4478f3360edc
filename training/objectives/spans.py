"""Spans of text that are replaced by one id each: where they are, what is left of the text, and what they held.

A span may reach from one document into the next, in which it leaves no id.
Source: Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer"
(arXiv:1910.10683), section 3.1.4, and its released preprocessing for how many tokens and spans there are. N tokens of a
text, M spans.
"""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from training.batch import Ids, SpecialIds
from training.objectives.text import Text, later


class ReplacedSpans:
    """Spans of a text in their order; span i is replaced by new[i], which belongs to the document of the token that it
    stands for. `kept` int64[M]: how many of the tokens that stay are in front of each; `lengths` int64[M]: a span of no
    length only adds its id to the text."""

    def __init__(self, text: Text, kept: Ids, lengths: Ids, new: Ids) -> None:
        self._kept = kept
        self._lengths = lengths
        self._size = len(text.tokens)
        self._held = np.cumsum(lengths)
        self._numbers = np.arange(len(new))
        owners = text.documents[np.minimum(kept + self._held - lengths, self._size - 1)]
        self._both = Text(np.concatenate([text.tokens, new]), np.concatenate([text.documents, owners]))

    def left(self) -> Text:
        """What stays, with the ids in the places of the spans."""
        places = self._kept + self._numbers
        steps = np.ones(self._size - self._held[-1] + len(places), np.int64)
        steps[places] = self._lengths
        return self._walk(places, steps)

    def taken(self) -> Text:
        """What the spans held, each behind its id."""
        places = self._held - self._lengths + self._numbers
        steps = np.ones(self._held[-1] + len(places), np.int64)
        steps[places] = self._kept - later(self._kept, 0)
        return self._walk(places, steps)

    def _walk(self, places: Ids, steps: Ids) -> Text:
        """The tokens that such steps through the text lead to, and the ids at their places."""
        chosen = np.cumsum(steps) - 1
        chosen[places] = self._size + self._numbers
        return self._both.at(chosen)


def noise(tokens: int, density: float, mean_length: float) -> tuple[int, int]:
    """How many of two or more tokens are in spans, and in how many: at least one, and a token stays before each."""
    held = min(max(round(tokens * density), 1), tokens - 1)
    return held, min(max(round(held / mean_length), 1), tokens - held)


def corrupted(
    text: Text, density: float, mean_length: float, ids: SpecialIds, rng: np.random.Generator
) -> tuple[Text, Text]:
    """What is left of the text with a sentinel for each span, and the spans behind their sentinels; an end of text
    closes both. All lengths that add up are equally likely; a span ends the text. Nothing, of less than two tokens."""
    if len(text.tokens) < 2:
        return text.at(np.arange(0)), text.at(np.arange(0))
    held, count = noise(len(text.tokens), density, mean_length)
    kept = np.cumsum(_parts(len(text.tokens) - held, count, rng))
    new = np.array([ids.named[name] for name in _names(count)])
    spans = ReplacedSpans(text, kept, _parts(held, count, rng), new)
    return spans.left().ended(ids.end_of_text), spans.taken().ended(ids.end_of_text)


def sentinels(count: int) -> Mapping[str, Sequence[str]]:
    """The ids that stand for so many spans, as T5's tokenizers name them."""
    return {name: (f"<extra_id_{number}>",) for number, name in enumerate(_names(count))}


@cache
def _names(count: int) -> tuple[str, ...]:
    return tuple(f"sentinel_{number}" for number in range(count))


def _parts(total: int, count: int, rng: np.random.Generator) -> Ids:
    """int64[count] of 1 or more that add up to `total`."""
    cuts = np.empty(count, np.int64)
    cuts[:-1] = np.sort(rng.permutation(total - 1)[: count - 1]) + 1
    cuts[-1] = total
    return cuts - later(cuts, 0)
