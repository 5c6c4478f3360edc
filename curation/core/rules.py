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
    """Keep a document whose `signal` lies in [at_least, at_most] or, where `one_of` is given, in it.

    The rule is for documents of the languages in `only` (None: of all) that are not in `but`, and silent on others.
    A document's language is what the string signal `by` ("<column>.<signal>") says.
    """

    signal: str
    at_least: float = -inf
    at_most: float = inf
    one_of: tuple[str, ...] | None = None
    only: tuple[str, ...] | None = None
    but: tuple[str, ...] = ()
    by: str = "language.label"

    def can_fire(self) -> bool:
        """False for a rule without any limit: it would keep every measured document whatever its value."""
        return self.one_of is not None or self.at_least > -inf or self.at_most < inf

    def can_keep(self) -> bool:
        """False for a rule that no value satisfies."""
        return bool(self.one_of) if self.one_of is not None else self.at_least <= self.at_most


def broken(value: pa.Array, rule: Rule, languages: pa.Array | None = None) -> dict[str, pa.Array]:
    """bool[N] per side that the rule has, true where the document breaks it there; null and NaN are `unmeasured`.

    `languages` is string[N], null where unknown; None where no rule asks for it. An unknown language is in no list.
    """
    unmeasured = pc.is_null(value, nan_is_null=True)
    masks = {"unmeasured": unmeasured}
    if rule.one_of is not None:
        masks["not_in"] = pc.invert(pc.or_(pc.is_in(value, pa.array(rule.one_of, value.type)), unmeasured))
    else:
        if rule.at_least > -inf:
            masks["low"] = pc.fill_null(pc.less(value, pa.scalar(rule.at_least)), False)
        if rule.at_most < inf:
            masks["high"] = pc.fill_null(pc.greater(value, pa.scalar(rule.at_most)), False)
    if rule.only is None and not rule.but:
        return masks
    concerned = _concerned(rule, languages)
    return {side: pc.and_(mask, concerned) for side, mask in masks.items()}


def _concerned(rule: Rule, languages: pa.Array | None) -> pa.Array:
    """bool[N]: the documents that the rule is for."""
    assert languages is not None, f"the limit on {rule.signal} depends on the language"
    others = pc.invert(pc.is_in(languages, pa.array(rule.but, languages.type)))
    return others if rule.only is None else pc.and_(others, pc.is_in(languages, pa.array(rule.only, languages.type)))


def first_failure(
    signals: Mapping[str, pa.Array], rules: Sequence[Rule], rows: int, languages: pa.Array | None = None
) -> pa.Array:
    """Name the first rule each document breaks, or null to keep it; `languages` as for `broken`.

    Returns string[rows] of "<signal>:<unmeasured|low|high|not_in>". Unmeasured drops: a filter that cannot see a
    document must not wave it through. Raises KeyError if a rule names a signal that was not measured.
    """
    reasons = pa.nulls(rows, pa.string())
    for rule in rules:
        for side, mask in broken(signals[rule.signal], rule, languages).items():
            reasons = pc.coalesce(reasons, pc.if_else(mask, f"{rule.signal}:{side}", pa.scalar(None, pa.string())))
    return reasons


def fired(signals: Mapping[str, pa.Array], rules: Sequence[Rule], languages: pa.Array | None = None) -> dict[str, int]:
    """Documents that break each limit, counted whether or not an earlier rule already dropped them."""
    counts: dict[str, int] = {}
    for rule in rules:
        for side, mask in broken(signals[rule.signal], rule, languages).items():
            limit = f"{rule.signal}:{side}"
            counts[limit] = counts.get(limit, 0) + (pc.sum(mask).as_py() or 0)
    return counts
