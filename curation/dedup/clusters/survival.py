"""The order of survival: the option `keep` as a rank per document. The document with the smallest rank survives.

Documents of equal rank survive by place: lowest shard, then lowest row, and so the first source in the recipe. With
`keep: all` every document stays, ranked by place; the columns say which are copies of each other.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.dedup.clusters.edges import Ranks
from curation.text.kernels.buffers import text_buffers

Order: TypeAlias = Literal["longest", "earliest", "all", "highest", "lowest", "sources"]

_ALONE: tuple[Order, ...] = ("longest", "earliest", "all")
_BY_SIGNAL: tuple[Order, ...] = ("highest", "lowest")

LAST = np.uint32(0xFFFFFFFF)

_CHOICES = "longest, earliest, all, {highest: filter.signal}, {lowest: filter.signal} or {sources: [best, second]}"


@dataclass(frozen=True)
class Keep:
    """Which of several duplicates survives."""

    by: Order
    column: str = ""  # struct column of highest and lowest …
    signal: str = ""  # … and its field
    sources: tuple[str, ...] = ()

    @classmethod
    def parse(cls, keep: str | Mapping[str, Any]) -> Self:
        """From a recipe's value of `keep`. Raises ValueError for anything but these choices."""
        for order in _ALONE:
            if keep == order:
                return cls(order)
        if not isinstance(keep, Mapping) or len(keep) != 1:
            raise ValueError(f"keep must be one of {_CHOICES}; got {keep!r}")
        (name, value), *_ = keep.items()
        for order in _BY_SIGNAL:
            if name == order:
                return cls(order, *_signal(name, value))
        if name == "sources":
            return cls("sources", sources=_sources(value))
        raise ValueError(f"keep knows no {name!r}; it must be one of {_CHOICES}")

    @property
    def drops(self) -> bool:
        """False where every document stays."""
        return self.by != "all"

    def columns(self) -> tuple[str, ...]:
        """Names of the columns that `ranks` reads."""
        return {"longest": ("text",), "earliest": ("crawled_at",), "all": (), "sources": ("source",)}.get(
            self.by, (self.column,)
        )

    def ranks(self, batch: pa.RecordBatch) -> Ranks:
        """uint32[N]: smaller is better.

        Longest: by the text's bytes in UTF-8, up to 2^32 - 1. Earliest: by the second of the crawl, from 1970 to 2106,
        null last. Highest, lowest: by the signal as a float32, null and NaN
        last. Sources: sources that the option does not name come last, with equal rank. Raises ValueError if the batch
        lacks the signal or it is not a number.
        """
        if self.by == "all":
            return np.zeros(len(batch), np.uint32)
        if self.by == "earliest":
            return earliest_first(batch.column("crawled_at"))
        if self.by == "longest":
            _, offsets = text_buffers(batch.column("text"))
            return longest_first(np.diff(offsets))
        if self.by == "sources":
            place = pc.index_in(batch.column("source"), value_set=pa.array(self.sources, batch.column("source").type))
            return np.asarray(pc.fill_null(place, len(self.sources))).astype(np.uint32)
        ascending = lowest_first(self._values(batch))
        return ascending if self.by == "lowest" else np.where(ascending == LAST, LAST, ~ascending)

    def check(self, schema: pa.Schema) -> None:
        """Raises ValueError where rows of the schema lack the signal or it is not a number."""
        if not self.column:
            return
        name = f"{self.column}.{self.signal}"
        kind = schema.field(self.column).type if self.column in schema.names else None
        if kind is None or not pa.types.is_struct(kind) or kind.get_field_index(self.signal) < 0:
            raise ValueError(f"keep: no signal {name} here; a filter stage before this one must measure it")
        signal = kind.field(self.signal).type
        numeric = pa.types.is_integer(signal) or pa.types.is_floating(signal)
        if not numeric and not pa.types.is_boolean(signal):
            raise ValueError(f"keep: {name} is {signal}, which has no order; name a numeric signal")

    def _values(self, batch: pa.RecordBatch) -> npt.NDArray[np.float32]:
        self.check(batch.schema)
        values = pc.struct_field(batch.column(self.column), self.signal)  # null where the struct is
        return np.asarray(values.cast(pa.float64(), safe=False).fill_null(np.nan)).astype(np.float32)


def longest_first(sizes: npt.NDArray[np.int64]) -> Ranks:
    """uint32[N]: 2^32 - 1 for size 0, one less for each unit more, 0 from 2^32 - 1 on."""
    return (np.int64(LAST) - np.minimum(sizes, np.int64(LAST))).astype(np.uint32)


def earliest_first(crawled: pa.Array) -> Ranks:
    """uint32[N]: whole seconds since 1970 of timestamps in ms, from 0 to 2^32 - 2; 2^32 - 1 for null."""
    seconds = np.asarray(crawled.cast(pa.int64()).fill_null(0)) // 1000
    known = np.asarray(crawled.is_valid())
    return np.where(known, np.clip(seconds, 0, np.int64(LAST) - 1), LAST).astype(np.uint32)


def lowest_first(values: npt.NDArray[np.float32]) -> Ranks:
    """uint32[N]: ascends with the values, equal for equal ones; 2^32 - 1 for NaN."""
    bits = (values + np.float32(0)).view(np.uint32)  # -0.0 becomes 0.0
    ascending = np.where(bits >> np.uint32(31), ~bits, bits | np.uint32(0x80000000))
    return np.where(np.isnan(values), LAST, ascending)


def _signal(name: str, value: object) -> tuple[str, str]:
    parts = value.split(".") if isinstance(value, str) else []
    if len(parts) != 2 or not all(parts):
        raise ValueError(f"keep: {name} needs one signal of a filter, written {{{name}: filter.signal}}; got {value!r}")
    return parts[0], parts[1]


def _sources(value: object) -> tuple[str, ...]:
    names = tuple(value) if isinstance(value, list | tuple) else ()
    if not names or not all(isinstance(name, str) and name for name in names):
        raise ValueError(f"keep: sources needs a list of the recipe's sources, best one first; got {value!r}")
    twice = [name for i, name in enumerate(names) if name in names[:i]]
    if twice:
        raise ValueError(f"keep: sources names {twice[0]!r} twice; each source has one place")
    return names
