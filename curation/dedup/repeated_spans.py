"""Base of the methods that find repeated lines or paragraphs: units of text, each with a key of its own.

The key is that of `exact`, the 128-bit hash of the unit's normal form, so units are equal when they differ only in case
and whitespace. N documents, S units.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from curation.core.protocols import Keys
from curation.text.edits.line_edits import texts_of
from curation.text.kernels.buffers import text_buffers
from curation.text.kernels.hashing import hash128
from curation.text.normalize import normalized
from curation.text.sizes import count_characters
from curation.text.spans import Spans

SHORTER_THAN = 30  # characters: FineWeb's limit for short lines


@dataclass(frozen=True, kw_only=True)
class Units:
    """Base of a method that defines its `units`."""

    min_characters: int = SHORTER_THAN  # of the normal form; shorter units are ignored
    min_copies: int = 2  # documents that must have a unit before it is cut

    reads: ClassVar[tuple[str, ...]] = ("text",)

    def __post_init__(self) -> None:
        if self.min_characters < 1:
            raise ValueError(f"min_characters must be at least 1, got {self.min_characters}")
        if self.min_copies < 2:
            raise ValueError(
                f"min_copies must be at least 2, got {self.min_copies}: one document alone repeats nothing"
            )

    def units(self, text: pa.Array) -> Spans:
        """The units of text[N], without whitespace around them."""
        raise NotImplementedError

    def keys(self, batch: pa.RecordBatch) -> Keys:
        """One key with its span per unit of at least `min_characters`, in text order."""
        text = batch.column("text")
        units, (_, offsets) = self.units(text), text_buffers(text)
        forms = normalized(texts_of(units))
        counted = np.flatnonzero(count_characters(forms) >= self.min_characters)
        hi, lo = hash128(forms)
        row = np.repeat(np.arange(len(text)), units.count())[counted]
        start, stop = units.starts[counted] - offsets[row], units.stops[counted] - offsets[row]
        return Keys(hi[counted], lo[counted], row, start, stop)
