"""A rule bounds one signal; a table of rules turns signals into one verdict per document.

Measuring and deciding are kept apart so that a limit can change without reading any text again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

import pyarrow as pa
import pyarrow.compute as pc

SIDES = ("unmeasured", "low", "high", "not_in")


@dataclass(frozen=True)
class Rule:
    """Keep a document whose `signal` lies in [at_least, at_most] or, where `one_of` is given, in it."""

    signal: str
    at_least: float = -inf
    at_most: float = inf
    one_of: tuple[str, ...] | None = None

    def can_fire(self) -> bool:
        """False for a rule without any limit: it would keep every measured document whatever its value."""
        return self.one_of is not None or self.at_least > -inf or self.at_most < inf

    def can_keep(self) -> bool:
        """False for a rule that no value satisfies."""
        return bool(self.one_of) if self.one_of is not None else self.at_least <= self.at_most


def broken(value: pa.Array, rule: Rule) -> dict[str, pa.Array]:
    """bool[N] per side that the rule has, true where the document breaks it there; null and NaN are `unmeasured`."""
    unmeasured = pc.is_null(value, nan_is_null=True)
    masks = {"unmeasured": unmeasured}
    if rule.one_of is not None:
        masks["not_in"] = pc.invert(pc.or_(pc.is_in(value, pa.array(rule.one_of, value.type)), unmeasured))
        return masks
    if rule.at_least > -inf:
        masks["low"] = pc.fill_null(pc.less(value, pa.scalar(rule.at_least)), False)
    if rule.at_most < inf:
        masks["high"] = pc.fill_null(pc.greater(value, pa.scalar(rule.at_most)), False)
    return masks


def first_failure(signals: Mapping[str, pa.Array], rules: Sequence[Rule], rows: int) -> pa.Array:
    """Name the first rule each document breaks, or null to keep it.

    Returns string[rows] of "<signal>:<unmeasured|low|high|not_in>". Unmeasured drops: a filter that cannot see a
    document must not wave it through. Raises KeyError if a rule names a signal that was not measured.
    """
    reasons = pa.nulls(rows, pa.string())
    for rule in rules:
        for side, mask in broken(signals[rule.signal], rule).items():
            reasons = pc.coalesce(reasons, pc.if_else(mask, f"{rule.signal}:{side}", pa.scalar(None, pa.string())))
    return reasons


def fired(signals: Mapping[str, pa.Array], rules: Sequence[Rule]) -> dict[str, int]:
    """Documents that break each limit, counted whether or not an earlier rule already dropped them."""
    counts: dict[str, int] = {}
    for rule in rules:
        for side, mask in broken(signals[rule.signal], rule).items():
            counts[f"{rule.signal}:{side}"] = pc.sum(mask).as_py() or 0
    return counts
