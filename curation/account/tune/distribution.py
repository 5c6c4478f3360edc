"""Distribution of a numeric signal over a corpus: counts in fine intervals, merged shard by shard, for each language.

The values of an interval share sign, exponent and the first 12 bits of the fraction: they differ by less than one part
in 4,096, and whole numbers up to 8,192 have an interval each. An interval keeps its least and greatest value, so a
quantile is the value of some document. V = values, K = intervals.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from math import sqrt

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

FRACTION_BITS = 12
DIGITS = 4  # of a proposed limit, rounded outwards
BINS = 48
TAIL = 0.005  # share of the documents beyond each end of the inner bins, merged into the first and last bin
WIDE = 100.0  # bins have equal ratios if the upper outer quantile is this many times the lower
_SHIFT = 52 - FRACTION_BITS
_GROUP = 12 + FRACTION_BITS  # bits of an interval's number
_SIGN = np.int64(1 << (_GROUP - 1))


@dataclass(frozen=True)
class HistogramBin:
    """Documents with a value in [low, high); in the last bin [low, high]."""

    low: float
    high: float
    documents: int


@dataclass(frozen=True)
class Distribution:
    """Intervals in ascending order: counts int64[K], least and greatest values float64[K]. The moments are exact."""

    counts: Ints
    lows: Floats
    highs: Floats
    mean: float
    deviation: float

    @property
    def documents(self) -> int:
        return int(self.counts.sum())

    def quantile(self, share: float) -> float:
        """The least value that at least `share` of the documents do not exceed, to the width of an interval. Raises
        IndexError without documents."""
        return float(self.highs[np.searchsorted(np.cumsum(self.counts), share * self.documents)])

    def lower_quantile(self, share: float) -> float:
        """The greatest value that at least `share` of the documents reach or exceed."""
        return float(self.lows[::-1][np.searchsorted(np.cumsum(self.counts[::-1]), share * self.documents)])

    def at_most(self, *, quantile: float | None, sigma: float | None) -> float:
        """An upper limit that keeps the share `quantile`, or values up to `sigma` deviations above the mean."""
        value = self.mean + (sigma or 0) * self.deviation if quantile is None else self.quantile(quantile)
        return outwards(value, up=True)

    def at_least(self, *, quantile: float | None, sigma: float | None) -> float:
        """A lower limit, like `at_most`."""
        value = self.mean - (sigma or 0) * self.deviation if quantile is None else self.lower_quantile(quantile)
        return outwards(value, up=False)

    @property
    def wide(self) -> bool:
        """Whether the bins have equal ratios instead of equal widths."""
        low, high = self._outer()
        return low > 0 and high > WIDE * low

    def _outer(self) -> tuple[float, float]:
        return self.lower_quantile(1 - TAIL), self.quantile(1 - TAIL)

    def bins(self, edges: Sequence[float]) -> list[HistogramBin]:
        """About BINS bins between the outer quantiles. The outer bins include everything beyond. Raises IndexError
        without documents.

        A cut near one of `edges` is moved to it, so that no bin has documents on both sides of an edge.
        """
        cuts = self._cuts(edges)
        inside = np.clip(np.searchsorted(cuts, self.lows, side="right") - 1, 0, len(cuts) - 2)
        documents = np.bincount(inside, weights=self.counts, minlength=len(cuts) - 1)
        return [HistogramBin(float(cuts[i]), float(cuts[i + 1]), int(n)) for i, n in enumerate(documents)]

    def _cuts(self, edges: Sequence[float]) -> Floats:
        """Ascending; whole numbers if all values are."""
        whole = bool(np.all(self.lows % 1 == 0) and np.all(self.highs % 1 == 0))
        edges = [float(np.ceil(edge)) for edge in edges] if whole else edges
        low, high = self._outer()
        span = high - low
        near = [edge for edge in edges if max(low - span, 0 if self.wide else -np.inf) < edge <= high + span]
        low = min([low, *near])
        high = max([high, *near])
        spaced = np.geomspace if self.wide else np.linspace
        if whole:
            cuts = np.unique(np.round(spaced(low, high + 1, min(BINS, int(high - low) + 1) + 1)))
        else:
            cuts = spaced(low, high if high > low else low + 1, BINS + 1)
        free = cuts[1:-1]
        for edge in near:
            if len(free) and cuts[0] < edge < cuts[-1]:
                free = np.delete(free, np.argmin(np.abs(free - edge)))
        first = min(cuts[0], self.lows[0])
        last = max(cuts[-1], self.highs[-1])
        return np.unique([first, *free, *(edge for edge in near if first < edge < last), last])


class SpreadByLanguage:
    """Distributions of one signal by language, grown shard by shard."""

    def __init__(self) -> None:
        self._keys = np.empty(0, np.int64)  # language << _GROUP | interval, ascending
        self._counts = np.empty(0, np.int64)
        self._lows = np.empty(0)
        self._highs = np.empty(0)
        self._moments = np.zeros((3, 0))  # count, sum, sum of squares by language

    def add(self, values: Floats, groups: Ints) -> None:
        """Adds values float64[V], all finite; groups int64[V] has the number of each value's language, from 0."""
        if not len(values):
            return
        values, groups = _sorted(values, groups)
        keys = groups << _GROUP | _buckets(values)
        starts = _starts(keys)
        ends = np.append(starts[1:], len(keys))
        self._merge(keys[starts], ends - starts, values[starts], values[ends - 1])
        size = max(self._moments.shape[1], int(groups[-1]) + 1)
        more = [np.bincount(groups, weights, size) for weights in (None, values, values * values)]
        self._moments = np.pad(self._moments, ((0, 0), (0, size - self._moments.shape[1]))) + np.array(more)

    def of(self, group: int | None) -> Distribution:
        """The distribution in one language, or (None) in all."""
        if group is not None:
            moments = self._moments[:, group : group + 1].sum(axis=1)
            first, last = np.searchsorted(self._keys, [group << _GROUP, (group + 1) << _GROUP])
            return _distribution(self._counts[first:last], self._lows[first:last], self._highs[first:last], moments)
        merged = SpreadByLanguage()
        merged._merge(self._keys & ((1 << _GROUP) - 1), self._counts, self._lows, self._highs)
        return _distribution(merged._counts, merged._lows, merged._highs, self._moments.sum(axis=1))

    def _merge(self, keys: Ints, counts: Ints, lows: Floats, highs: Floats) -> None:
        keys = np.concatenate([self._keys, keys])
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        starts = _starts(keys)
        if len(keys):
            self._counts = np.add.reduceat(np.concatenate([self._counts, counts])[order], starts)
            self._lows = np.minimum.reduceat(np.concatenate([self._lows, lows])[order], starts)
            self._highs = np.maximum.reduceat(np.concatenate([self._highs, highs])[order], starts)
        self._keys = keys[starts]


def _distribution(counts: Ints, lows: Floats, highs: Floats, moments: Floats) -> Distribution:
    count, total, squares = (float(moment) for moment in moments)
    mean = total / count if count else 0.0
    return Distribution(counts, lows, highs, mean, sqrt(max(squares / count - mean * mean, 0.0)) if count else 0.0)


def _sorted(values: Floats, groups: Ints) -> tuple[Floats, Ints]:
    """By group, then by value."""
    order = np.argsort(groups.astype(np.min_scalar_type(int(groups.max()))), kind="stable")  # radix sort if small
    values = values[order]
    groups = groups[order]
    for group in np.split(values, _starts(groups)[1:]):
        group.sort()
    return values, groups


def _starts(keys: Ints) -> Ints:
    """The start of each run of equal keys."""
    return np.flatnonzero(np.diff(keys, prepend=keys[:1] - 1))


def _buckets(values: Floats) -> Ints:
    """int64[V]: the interval of each value in [0, 2^_GROUP), in the order of the values."""
    bits = (values + 0.0).view(np.int64)  # + 0.0 makes a negative zero positive
    ordered = np.where(bits < 0, bits ^ np.int64(0x7FFF_FFFF_FFFF_FFFF), bits)
    return (ordered >> _SHIFT) + _SIGN


def outwards(value: float, *, up: bool) -> float:
    """The nearest number of at most DIGITS digits that is not below the value, or not above it without `up`."""
    context = Context(prec=DIGITS, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    return float(context.plus(Decimal(repr(float(value)))))
