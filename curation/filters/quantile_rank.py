"""Ranks documents by a signal among all, or among those of their language: 0 the least value, 100 the largest.

    - filter: {perplexity: {models: {en: en.arpa, de: de.arpa}}}
    - fit: {quantiles: {signals: [perplexity.perplexity], by: language.label}}
    - filter: {quantile_rank: {quantiles: "@quantiles", signal: perplexity.perplexity, by: language.label}}
      …
    - pack: {split_by: {column: quantile_rank.percent, edges: [33.3, 66.6]}}     # CCNet's head, middle and tail

Without a limit it only marks. The rank is the percentage of the fit's documents that have a smaller value, to a tenth.
A language of which the fit saw fewer than 100 documents, or none, is ranked among all documents.

Source: Wenzek et al. 2020, "CCNet: Extracting High Quality Monolingual Datasets from Web Crawl Data"
(arXiv:1911.00359), which cuts each language into head, middle and tail at a third and two thirds of the perplexities.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core import storage
from curation.core.component import Signals
from curation.core.errors import InputError, RecipeError
from curation.core.filter import Filter
from curation.core.limits import Limit
from curation.models.quantiles import LEAST_DOCUMENTS, STEPS, load

PERCENT = (0.0, 100.0)


@dataclass(frozen=True, kw_only=True)
class QuantileRank(Filter):
    """The signal, its quantiles, and limits on the rank."""

    quantiles: Annotated[str, "output of `fit: {quantiles: …}`"]
    signal: Annotated[str, "of an earlier stage, such as perplexity.perplexity"]
    by: Annotated[str, 'language.label: ranks within the language; "": among all'] = ""
    min_percent: Annotated[float, "rank in [0, 100]"] = -inf
    max_percent: Annotated[float, "rank in [0, 100]"] = inf

    reads: ClassVar[tuple[str, ...]] = ()  # the columns of `signal` and `by`
    limits: ClassVar[tuple[Limit, ...]] = (Limit("percent", least="min_percent", most="max_percent", between=PERCENT),)
    fitted_by: ClassVar[dict[str, str]] = {"quantiles": "quantiles"}
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        for option, name in (("signal", self.signal), ("by", self.by or "a.b")):
            if len(parts := name.split(".")) != 2 or not all(parts):
                raise RecipeError(f"{option} is {name!r}; give COLUMN.SIGNAL, such as gopher_quality.words")
        if not self.quantiles:
            raise RecipeError("quantiles names no file: give a path, or @ and the name of a fit stage")
        columns = [name.partition(".")[0] for name in (self.signal, self.by) if name]
        object.__setattr__(self, "reads", tuple(dict.fromkeys(columns)))

    def assets(self) -> Mapping[str, str]:
        """Where the quantiles are. Raises InputError if they are missing."""
        if not storage.exists(self.quantiles):
            raise InputError(f"no quantiles at {self.quantiles}; give the path of a result of `fit: {{quantiles: …}}`")
        return {"quantiles": self.quantiles}

    def signal_types(self) -> Signals:
        """The rank."""
        return {"percent": pa.float64()}

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> float64[N] rank, null where the signal has no value. Raises InputError for a file
        without quantiles of the signal, or by another column."""
        table = load(self.quantiles)
        if self.signal not in table.signals or (self.by and self.by != table.by):
            by = f" by {self.by}" if self.by else ""
            raise InputError(f"{self.quantiles} has no quantiles of {self.signal}{by}; fit them")
        spreads = table.signals[self.signal]
        values = _field(batch, self.signal)
        numbers = np.asarray(pc.fill_null(values.cast(pa.float64()), np.nan))
        ranks = np.searchsorted(spreads.overall.quantiles, numbers)
        groups = _field(batch, self.by).cast(pa.string()) if self.by else pa.nulls(len(batch), pa.string())
        for name in pc.unique(groups.drop_null()).to_pylist():
            spread = spreads.groups.get(name)
            if spread is not None and spread.documents >= LEAST_DOCUMENTS:
                rows = np.flatnonzero(np.asarray(pc.fill_null(pc.equal(groups, name), False)))
                ranks[rows] = np.searchsorted(spread.quantiles, numbers[rows])
        percent = np.minimum(ranks, STEPS) * 100 / STEPS
        return {"percent": pa.array(percent, pa.float64(), mask=np.isnan(numbers))}


def _field(batch: pa.RecordBatch, path: str) -> pa.Array:
    column, _, field = path.partition(".")
    return pc.struct_field(batch.column(column), field)
