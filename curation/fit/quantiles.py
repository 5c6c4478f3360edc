"""Learns how signals are spread over kept documents, so that limits can be named by share: "the best tenth".

    - filter: {perplexity: {models: {en: en.arpa, de: de.arpa}}}                      # measures, drops nothing
    - fit: {quantiles: {signals: [perplexity.perplexity], by: language.label}}
    - filter: {perplexity: {models: {en: en.arpa, de: de.arpa}, max_perplexity: "@quantiles p90 by language.label"}}

An option of a rule set that limits a signal may be `"@NAME pPERCENT"`, p0 to p100 by tenths, where NAME is that of the
fit's stage: `max_…: "@quantiles p90"` keeps nine documents of ten, `min_…: "@quantiles p90"` one. With
`by language.label` each language has its own limit; those of fewer than 100 documents have the one of all. The numbers
are found once the fit is done and enter the address of the stage. A rule set that stands in the chain already, with the
same options but for such limits, is not measured again: its signals are taken from the earlier stage.

Quantiles are of documents that have a value, and each is a value that occurs. The format of the file is described in
`curation/models/quantiles.py`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.errors import InputError, RecipeError
from curation.core.fits import Learns
from curation.models.quantiles import QuantileTable, spreads_of


@dataclass(frozen=True, kw_only=True)
class Quantiles(Learns):
    """The signals, and the column that groups documents."""

    signals: Annotated[tuple[str, ...], "numeric, such as gopher_quality.words"]
    by: Annotated[str, 'of text, such as language.label; "": no groups'] = ""
    sample_documents: Annotated[int, "drawn by the engine"] = 10_000_000

    version: ClassVar[int] = 1
    asset: ClassVar[str] = "quantiles.json"
    reads: ClassVar[tuple[str, ...]] = ()  # the signals, and `by`

    def __post_init__(self) -> None:
        if not self.signals:
            raise RecipeError("signals is empty; give some, such as gopher_quality.words")
        if len(set(self.signals)) < len(self.signals):
            raise RecipeError("signals names one twice")
        for name in (*self.signals, *([self.by] if self.by else [])):
            if len(parts := name.split(".")) != 2 or not all(parts):
                raise RecipeError(f"{name!r} is no signal; give COLUMN.SIGNAL, such as gopher_quality.words")
        if self.sample_documents < 1:
            raise RecipeError(f"sample_documents is {self.sample_documents}; it must be at least 1")
        object.__setattr__(self, "reads", (*self.signals, *([self.by] if self.by else [])))

    def fit(self, rows: Iterator[pa.RecordBatch]) -> Mapping[str, bytes]:
        """Batches of documents -> quantiles.json. Raises InputError for a signal that is no number, or has no value."""
        columns: dict[str, list[pa.Array]] = {name: [] for name in self.reads}
        for batch in rows:
            for name in columns:
                column, _, field = name.partition(".")
                columns[name].append(pc.struct_field(batch.column(column), field))
        groups: list[str | None] = []
        if self.by:
            groups = [name for array in columns[self.by] for name in array.cast(pa.string()).to_pylist()]
        signals = {}
        for name in self.signals:
            values = np.concatenate([np.empty(0), *(_numbers(name, array) for array in columns[name])])
            spreads = spreads_of(values, groups or [None] * len(values))
            if spreads is None:
                raise InputError(f"no document has a value of {name}, so it has no quantiles")
            signals[name] = spreads
        return {self.asset: QuantileTable(self.by, signals).to_bytes()}


def _numbers(name: str, array: pa.Array) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """float64[N], NaN for null."""
    kind = array.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        raise InputError(f"{name} holds {kind}, which has no quantiles; name signals that are numbers")
    return np.asarray(pc.fill_null(array.cast(pa.float64()), np.nan))
