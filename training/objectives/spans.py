"""Spans of text that are replaced by one id each: where they are, what is left of the text, and what they held.

A span may reach from one document into the next, in which it leaves no id.
Source: Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer"
(arXiv:1910.10683), section 3.1.4, and its released preprocessing for how many tokens and spans there are. N tokens of a
text, M spans.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from training.batch import Ids, SpecialIds
from training.objectives.text import Text, later


class TextSpans(NamedTuple):
    """Spans in the order of a text; each has an id, which belongs to the document of the token that it stands for."""

    kept: Ids  # int64[M]: how many of the tokens that stay are in front of each
    lengths: Ids  # int64[M]; a span of length 0 only adds its id to the text

    def left(self, text: Text, new: Ids) -> Text:
        """What stays, with new[i] in the place of span i."""
        places = self.kept + np.arange(len(new))
        steps = np.ones(len(text.tokens) + len(new) - self.lengths.sum(), np.int64)
        steps[places] = self.lengths
        return self._walk(text, new, places, steps)

    def taken(self, text: Text, new: Ids) -> Text:
        """What the spans held, each behind its id."""
        places = np.cumsum(self.lengths + 1) - self.lengths - 1
        steps = np.ones(self.lengths.sum() + len(new), np.int64)
        steps[places] = self.kept - later(self.kept, 0)
        return self._walk(text, new, places, steps)

    def _walk(self, text: Text, new: Ids, places: Ids, steps: Ids) -> Text:
        """The tokens that such steps through the text lead to, and the ids at their places."""
        starts = self.kept + np.cumsum(self.lengths) - self.lengths
        owners = text.documents[np.minimum(starts, len(text.tokens) - 1)]
        chosen = np.cumsum(steps) - 1
        chosen[places] = len(text.tokens) + np.arange(len(new))
        return Text(np.concatenate([text.tokens, new]), np.concatenate([text.documents, owners])).at(chosen)


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
    spans = TextSpans(np.cumsum(_parts(len(text.tokens) - held, count, rng)), _parts(held, count, rng))
    new = np.array([ids.named[name] for name in _names(count)])
    return spans.left(text, new).ended(ids.end_of_text), spans.taken(text, new).ended(ids.end_of_text)


def sentinels(count: int) -> Mapping[str, Sequence[str]]:
    """The ids that stand for so many spans, as T5's tokenizers name them."""
    return {name: (f"<extra_id_{number}>",) for number, name in enumerate(_names(count))}


@cache
def _names(count: int) -> tuple[str, ...]:
    return tuple(f"sentinel_{number}" for number in range(count))


def _parts(total: int, count: int, rng: np.random.Generator) -> Ids:
    """int64[count] of 1 or more that add up to `total`."""
    cuts = np.empty(count, np.int64)
    cuts[:-1] = np.sort(rng.choice(total - 1, count - 1, replace=False, shuffle=False)) + 1
    cuts[-1] = total
    return cuts - later(cuts, 0)
