"""Span corruption, T5's objective: an encoder reads text with spans left out, a decoder writes what they held.

Of 568 tokens, 85 are in 28 spans: 512 inputs and 114 targets, with an end of text in both. A span never begins a row.
Source: Raffel et al. 2020 (arXiv:1910.10683), section 3.1.4; see `spans`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from training.batch import Example, ExampleShape, Kind, Row
from training.config.components import Objective
from training.objectives.spans import corrupted, noise, sentinels
from training.objectives.text import pair, text_of, without_padding


@dataclass(frozen=True, kw_only=True)
class SpanCorruption(Objective):
    """How much text is left out, and in how long spans."""

    noise_density: Annotated[float, "share of the tokens that are in spans"] = 0.15
    mean_span_length: Annotated[float, "tokens"] = 3.0

    kind: ClassVar[Kind] = Kind.PAIR
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.noise_density < 1 or self.mean_span_length < 1:
            raise ValueError(
                f"noise_density is {self.noise_density} and mean_span_length {self.mean_span_length}; give a density "
                "between 0 and 1 and a length of 1 or more"
            )

    def special(self, row: int) -> Mapping[str, Sequence[str]]:
        """A sentinel for each span."""
        return sentinels(noise(row, self.noise_density, self.mean_span_length)[1])

    def shape(self, row: int) -> ExampleShape:
        """What stays, the spans, an id for each and an end."""
        if row < 2:
            raise ValueError(f"rows of {row} tokens are too short for spans to be left out; give 2 or more")
        held, count = noise(row, self.noise_density, self.mean_span_length)
        return ExampleShape(inputs=row - held + count + 1, labels=held + count + 1, targets=held + count + 1)

    def example(self, row: Row, rng: np.random.Generator) -> Example:
        """As in Objective."""
        text = without_padding(text_of(row))
        left, taken = corrupted(text, self.noise_density, self.mean_span_length, row.ids, rng)
        return pair(left, taken, self.shape(len(row.tokens) - 1), row.ids)
