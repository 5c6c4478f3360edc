"""Base of the methods that find repeated lines or paragraphs: units of text, each with a key of its own.

The key is that of `exact`, the 128-bit hash of the unit's normal form, so units are equal when they differ only in
case, whitespace and invisible characters. With `by: domain` the registered domain of the page is hashed with it: only
pages of one site can have equal units, and a page whose address has no such domain has no keys. N documents, S units.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core import dedup_methods
from curation.core.dedup_methods import Keys
from curation.models.lists import public_suffixes
from curation.text.edits.line_edits import texts_of
from curation.text.kernels.buffers import text_buffers
from curation.text.kernels.hashing import hash128
from curation.text.normalize import normalized
from curation.text.sizes import count_characters
from curation.text.spans import TextSpans
from curation.text.urls.parse import parse_urls

SHORTER_THAN = 30  # characters: FineWeb's limit for short lines
BETWEEN = pa.scalar("\n", pa.large_string())  # a domain and a form: neither begins or ends with a line break


@dataclass(frozen=True, kw_only=True)
class Units(dedup_methods.Spans):
    """Base of a method that defines its `units`."""

    min_characters: Annotated[int, "of the normal form; shorter units are ignored"] = SHORTER_THAN
    min_copies: Annotated[int, "documents that must have a unit before it is cut"] = 2
    by: Annotated[Literal["all", "domain"], "which documents are compared: all, or those of one registered domain"] = (
        "all"
    )

    reads: ClassVar[tuple[str, ...]] = ("text",)
    added: ClassVar[tuple[str, ...]] = ("by",)
    libraries: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        if self.by == "domain":
            object.__setattr__(self, "reads", (*type(self).reads, "url"))
            object.__setattr__(self, "libraries", ("tld",))  # whose list says what a domain is
        if self.min_characters < 1:
            raise ValueError(f"min_characters must be at least 1, got {self.min_characters}")
        if self.min_copies < 2:
            raise ValueError(
                f"min_copies must be at least 2, got {self.min_copies}: one document alone repeats nothing"
            )

    def units(self, text: pa.Array) -> TextSpans:
        """The units of text[N], without whitespace around them."""
        raise NotImplementedError

    def keys(self, batch: pa.RecordBatch) -> Keys:
        """One key with its span per unit of at least `min_characters`, in text order."""
        text = batch.column("text")
        units = self.units(text)
        _, offsets = text_buffers(text)
        forms = normalized(texts_of(units))
        wanted = count_characters(forms) >= self.min_characters
        row = np.repeat(np.arange(len(text)), units.count())
        if self.by == "domain":
            domain = _domains(batch.column("url")).take(pa.array(row))
            wanted &= np.asarray(domain.is_valid())
            forms = pc.binary_join_element_wise(domain, forms, BETWEEN)
        counted = np.flatnonzero(wanted)
        hi, lo = hash128(forms)
        row = row[counted]
        start = units.starts[counted] - offsets[row]
        stop = units.stops[counted] - offsets[row]
        return Keys(hi[counted], lo[counted], row, start, stop)


def _domains(urls: pa.Array) -> pa.Array:
    """large_string[N]: registered domains, null for none."""
    suffixes = public_suffixes.load(public_suffixes.EMBEDDED)
    return suffixes.registered(parse_urls(urls.cast(pa.large_string()))).cast(pa.large_string())
