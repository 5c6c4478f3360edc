"""First pass over a filter stage: the distribution of each bounded signal, and limits proposed from it.

A limit by quantile q alone keeps at least the share q of the documents that the stage read. A limit by n sigma lies n
standard deviations from the mean, or at the outermost value if that is nearer. Both are rounded outwards to four
digits. Languages with fewer than LEAST documents get no limits of their own. Source: Penedo et al. 2025, "FineWeb2"
(arXiv:2506.20920), for limits by a quantile of each language.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import ceil, floor, inf, nextafter
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.sealed.components import BY_LANGUAGE
from curation.account.sealed.sealed_stage import SealedShard
from curation.account.tune.distribution import Distribution, HistogramBin, SpreadByLanguage, outwards
from curation.account.tune.limits import (
    EVERY,
    Bounds,
    RuleSets,
    bound_for,
    bounds_by_limit,
    limit_options,
    rules_of,
)
from curation.account.tune.signals import column_of, labels_of
from curation.core.by_language import LANGUAGE, ByLanguage
from curation.core.filter import Filter, limit_of
from curation.core.rules import Rule

LEAST = 100  # documents of a language
SHARES = (0.01, 0.05, 0.5, 0.95, 0.99)


@dataclass(frozen=True)
class Histogram:
    """A signal over the documents that the stage read, in one language or (None) in all.

    `before` and `after` are the bounds by side. A numeric signal has `bins`, of equal ratio if `wide`, else of equal
    width. A text signal has `values` with their documents.
    """

    signal: str  # "<key>.<signal>"
    language: str | None
    documents: int
    unmeasured: int
    mean: float | None
    deviation: float | None
    quantiles: dict[str, float]
    before: dict[str, Any]
    after: dict[str, Any]
    bins: tuple[HistogramBin, ...] = ()
    wide: bool = False
    values: dict[str, int] = field(default_factory=dict)


@dataclass
class Spreads:
    """The values of all signals, by "<key>.<signal>"."""

    numbers: dict[str, SpreadByLanguage] = field(default_factory=dict)
    texts: dict[str, Counter[tuple[str | None, str]]] = field(default_factory=dict)
    measured: dict[str, Counter[str | None]] = field(default_factory=dict)
    languages: dict[str | None, int] = field(default_factory=dict)  # language -> its number, in order of appearance
    documents: Counter[str | None] = field(default_factory=Counter)

    def known_languages(self) -> list[str]:
        """Languages with at least LEAST documents, largest first."""
        enough = [(-count, name) for name, count in self.documents.items() if name is not None and count >= LEAST]
        return [name for _, name in sorted(enough)]

    def of(self, signal: str, language: str | None) -> Distribution:
        """A numeric signal in one language, or (None) in all."""
        return self.numbers[signal].of(None if language is None else self.languages[language])

    def values(self, signal: str, language: str | None) -> dict[str, int]:
        """Documents by value of a text signal, largest first."""
        documents: Counter[str] = Counter()
        for (where, value), count in self.texts[signal].items():
            if language in (None, where):
                documents[value] += count
        return dict(sorted(documents.items(), key=lambda item: (-item[1], item[0])))


def read_spreads(shards: Iterable[SealedShard], columns: list[str], signals: list[str]) -> Spreads:
    """Of the shards of one stage."""
    spreads = Spreads()
    for shard in shards:
        table = shard.read(columns)
        labels = labels_of(table).dictionary_encode(null_encoding="encode")
        names = labels.dictionary.to_pylist()
        numbers = np.array([spreads.languages.setdefault(name, len(spreads.languages)) for name in names], np.int64)
        groups = numbers[np.asarray(labels.indices)] if names else np.empty(0, np.int64)
        spreads.documents.update(_by_name(spreads, groups))
        for signal in signals:
            _add(spreads, signal, column_of(table, *signal.split(".")), groups)
    return spreads


def _by_name(spreads: Spreads, groups: npt.NDArray[np.int64]) -> dict[str | None, int]:
    counts = np.bincount(groups, minlength=len(spreads.languages))
    return {name: int(counts[number]) for name, number in spreads.languages.items()}


def _add(spreads: Spreads, signal: str, values: pa.Array, groups: npt.NDArray[np.int64]) -> None:
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        present = np.asarray(values.is_valid())
        pairs = pa.table({"value": values, "group": pa.array(groups)}).filter(pa.array(present))
        names = list(spreads.languages)
        counted = pairs.group_by(["group", "value"]).aggregate([([], "count_all")]).to_pylist()
        into = spreads.texts.setdefault(signal, Counter())
        into.update({(names[row["group"]], row["value"]): row["count_all"] for row in counted})
    else:
        numbers = np.asarray(pc.fill_null(values.cast(pa.float64()), float("nan")))
        present = np.isfinite(numbers)
        spreads.numbers.setdefault(signal, SpreadByLanguage()).add(numbers[present], groups[present])
    spreads.measured.setdefault(signal, Counter()).update(_by_name(spreads, groups[present]))


def proposed(
    sets: RuleSets, spreads: Spreads, *, quantile: float | None, sigma: float | None, by_language: bool
) -> Any:
    """The `limits.Changes` that set every numeric limit by a quantile or by sigma."""
    changes: dict[str, dict[str, Any]] = {}
    for key, rule_set in sets.items():
        own = changes.setdefault(key, {})
        bounds = bounds_by_limit(rules_of({key: rule_set}))
        natural = all(rule.by == Rule.by for rule in rule_set.rules())  # as opposed to programming languages
        own_limits = by_language and natural and isinstance(rule_set, ByLanguage) and LANGUAGE not in sets
        for limit, option in limit_options(key, rule_set).items():
            signal, _, side = limit.partition(":")
            value = bounds[limit][EVERY]
            if spreads.of(signal, None).documents:
                own[option] = _limit(spreads.of(signal, None), side, value, quantile, sigma)
            each = _each(rule_set, option)  # such as `min_scores` of `language`
            by_name = own_limits or (by_language and each)
            wanted = getattr(rule_set, "languages", ())
            for language in spreads.known_languages() if by_name else ():
                spread = spreads.of(signal, language)
                if spread.documents >= LEAST and (not wanted or language in wanted):
                    name = f"{BY_LANGUAGE}.{language}.{option}" if own_limits else f"{each}.{language}"
                    own[name] = _limit(spread, side, value, quantile, sigma)
    return changes


def _each(rule_set: Filter, option: str) -> str:
    """The option that sets by language what `option` sets for all; "" if there is none."""
    limit = limit_of(rule_set, option)
    return limit.each if limit and option == limit.least else ""


def _limit(spread: Distribution, side: str, value: Any, quantile: float | None, sigma: float | None) -> int | float:
    if side == "low":
        limit = max(spread.at_least(quantile=quantile, sigma=sigma), outwards(float(spread.lows[0]), up=False))
        return floor(limit) if isinstance(value, int) else limit
    limit = min(spread.at_most(quantile=quantile, sigma=sigma), outwards(float(spread.highs[-1]), up=True))
    return ceil(limit) if isinstance(value, int) else limit


def histogram(
    spreads: Spreads, signal: str, language: str | None, before: dict[str, Bounds], after: dict[str, Bounds]
) -> Histogram:
    """`before` and `after` have the bounds of every limit, as `limits.bounds_by_limit` returns them."""
    bounds = _sides(signal, language, before), _sides(signal, language, after)
    measured = spreads.measured[signal]
    documents = measured.total() if language is None else measured[language]
    rows = spreads.documents.total() if language is None else spreads.documents[language]
    figure = Histogram(signal, language, documents, rows - documents, None, None, {}, *bounds)
    if signal in spreads.texts:
        return replace(figure, values=spreads.values(signal, language))
    if not documents:
        return figure
    spread = spreads.of(signal, language)
    edges = sorted({nextafter(v, inf) if side == "high" else v for own in bounds for side, v in own.items()})
    quantiles = {str(share): spread.quantile(share) for share in SHARES}
    bins = tuple(spread.bins(edges))
    return replace(
        figure, mean=spread.mean, deviation=spread.deviation, quantiles=quantiles, bins=bins, wide=spread.wide
    )


def _sides(signal: str, language: str | None, limits: dict[str, Bounds]) -> dict[str, Any]:
    """The bounds on a signal in a language, by side."""
    sides = {
        limit.rpartition(":")[2]: bound_for(bounds, language)
        for limit, bounds in limits.items()
        if limit.rpartition(":")[0] == signal
    }
    return {side: bound for side, bound in sides.items() if bound is not None}
