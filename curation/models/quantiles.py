"""Quantiles of signals over documents, overall and by group, in one small JSON file.

    {"format": 1, "by": "language.label",
     "signals": {"perplexity.perplexity": {"overall": {"documents": 812, "quantiles": [11.5, …]},
                                           "groups": {"de": {"documents": 300, "quantiles": […]}, …}}}}

There are STEPS + 1 quantiles, ascending: number k is the smallest value that at least k / STEPS of the documents with a
value do not exceed, the first one the smallest of all. So each is the value of a document.
"""

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from curation.core import storage
from curation.core.errors import InputError

FORMAT = 1
STEPS = 1000
SHOWN = (0, 1, 5, 10, 25, 50, 75, 90, 95, 99, 100)  # percent
_LARGEST = sys.float_info.max
LEAST_DOCUMENTS = 100  # of a group whose quantiles are used; below, those of all documents stand in


@dataclass(frozen=True)
class Spread:
    """How many documents have a value, and its quantiles."""

    documents: int
    quantiles: tuple[float, ...]

    @classmethod
    def of(cls, values: npt.NDArray[np.float64]) -> "Spread":
        """Of float64[N] values, at least one, none of them NaN."""
        ordered = np.sort(values)
        ranks = -(-np.arange(STEPS + 1) * len(ordered) // STEPS) - 1
        return cls(len(ordered), tuple(ordered[np.maximum(ranks, 0)].tolist()))


@dataclass(frozen=True)
class SignalSpreads:
    """Of one signal: over all documents, and by group, sorted."""

    overall: Spread
    groups: Mapping[str, Spread]


@dataclass(frozen=True)
class QuantileTable:
    """By signal, "<key>.<signal>"; `by` is the column that groups documents, "" for none."""

    by: str
    signals: Mapping[str, SignalSpreads]

    def value(self, signal: str, percent: float) -> float:
        """The quantile over all documents."""
        return self.signals[signal].overall.quantiles[round(percent * STEPS / 100)]

    def by_group(self, signal: str, percent: float) -> dict[str, float]:
        """The quantile of each group that has LEAST_DOCUMENTS."""
        groups = self.signals[signal].groups.items()
        place = round(percent * STEPS / 100)
        return {name: spread.quantiles[place] for name, spread in groups if spread.documents >= LEAST_DOCUMENTS}

    def to_bytes(self) -> bytes:
        """The file's content."""
        signals = {
            name: {"overall": vars(one.overall), "groups": {group: vars(own) for group, own in one.groups.items()}}
            for name, one in self.signals.items()
        }
        return json.dumps({"format": FORMAT, "by": self.by, "signals": signals}, indent=1).encode()


def spreads_of(values: npt.NDArray[np.float64], groups: Iterable[str | None]) -> SignalSpreads | None:
    """Of float64[N] values, NaN where there is none, and the group of each, None where it has none. None without any
    value."""
    names = np.array([group or "" for group in groups], object)
    measured = ~np.isnan(values)
    if not measured.any():
        return None
    by_name = {name: values[measured & (names == name)] for name in sorted(set(names[measured].tolist()) - {""})}
    return SignalSpreads(Spread.of(values[measured]), {name: Spread.of(own) for name, own in by_name.items()})


def percentiles(values: npt.NDArray[np.float64]) -> dict[str, float]:
    """The quantiles of float64[N], N at least 1, that are shown of scores, by percent; each is one of the values."""
    return {str(share): float(np.percentile(values, share, method="inverted_cdf")) for share in SHOWN}


@lru_cache(maxsize=8)
def load(uri: str) -> QuantileTable:
    """Raises InputError if there is no such file or it holds no quantiles."""
    content = storage.read_bytes(uri)
    try:
        read = json.loads(content)
        if read["format"] != FORMAT:
            raise ValueError(f"it has format {read['format']}, this winnow reads {FORMAT}")
        signals = {
            name: SignalSpreads(_spread(one["overall"]), {group: _spread(own) for group, own in one["groups"].items()})
            for name, one in read["signals"].items()
        }
        if not isinstance(read["by"], str):
            raise ValueError("`by` names no column")
        return QuantileTable(read["by"], signals)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{uri} holds no quantiles of `fit: {{quantiles: …}}`: {error}; run the fit again") from error


def _is_number(value: object) -> bool:
    """Whether JSON gave a number that a float64 holds; an infinite one is, and NaN is none."""
    if isinstance(value, float):
        return value == value
    return type(value) is int and abs(value) <= _LARGEST


def _spread(read: Mapping[str, object]) -> Spread:
    documents = read["documents"]
    quantiles = read["quantiles"]
    if not isinstance(documents, int) or not isinstance(quantiles, list) or len(quantiles) != STEPS + 1:
        raise ValueError(f"a signal does not have {STEPS + 1} quantiles")
    if not all(_is_number(value) for value in quantiles):
        raise ValueError("a quantile is no number")
    if any(before > after for before, after in pairwise(quantiles)):
        raise ValueError("its quantiles are not ascending")
    return Spread(documents, tuple(quantiles))
