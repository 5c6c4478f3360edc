"""A rule bounds one signal; a table of rules turns signals into one verdict per document.

Measuring and deciding are separate, so that a limit can change without reading any text again.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.limits import Limit

SIDES = ("unmeasured", "low", "high", "not_in")
# between the values of a signal that holds several, as in an SPDX expression
JOINT = " AND "
CHOICE = " OR "


@dataclass(frozen=True)
class Rule:
    """Keeps a document whose `signal` is in [at_least, at_most] or, if `one_of` is given, in that: see `among`.

    The rule applies to documents whose language is in `only` (None: any) and not in `but`. The string signal `by`
    ("<column>.<signal>") holds a document's language. `limit` is what the rule was made from, if that is known; it
    has no effect on decisions.
    """

    signal: str
    at_least: float = -inf
    at_most: float = inf
    one_of: tuple[str, ...] | None = None
    only: tuple[str, ...] | None = None
    but: tuple[str, ...] = ()
    by: str = "language.label"
    limit: Limit | None = field(default=None, compare=False, repr=False)

    def can_fire(self) -> bool:
        """False for a rule without any limit, which keeps every measured document."""
        return self.one_of is not None or self.at_least != -inf or self.at_most != inf

    def can_keep(self) -> bool:
        """False for a rule that no value satisfies."""
        return bool(self.one_of) if self.one_of is not None else self.at_least <= self.at_most


def broken(value: pa.Array, rule: Rule, languages: pa.Array | None = None) -> dict[str, pa.Array]:
    """Side of the rule -> bool[N], true where a document breaks the rule there; null and NaN are `unmeasured`.

    `languages` is string[N], null where unknown; None if no rule needs it. An unknown language is in no list.
    """
    unmeasured = pc.is_null(value, nan_is_null=True)
    masks = {"unmeasured": unmeasured}
    if rule.one_of is not None:
        masks["not_in"] = pc.invert(pc.or_(_within(value, rule.one_of), unmeasured))
    else:
        if rule.at_least > -inf:
            masks["low"] = pc.fill_null(pc.less(value, pa.scalar(rule.at_least)), False)
        if rule.at_most < inf:
            masks["high"] = pc.fill_null(pc.greater(value, pa.scalar(rule.at_most)), False)
    if rule.only is None and not rule.but:
        return masks
    concerned = _concerned(rule, languages)
    return {side: pc.and_(mask, concerned) for side, mask in masks.items()}


def among(value: str, wanted: Collection[str]) -> bool:
    """Whether the value is among those wanted. Of values joined by JOINT, all must be; of those joined by CHOICE, which
    binds less tightly, any."""
    return any(all(term in wanted for term in choice.split(JOINT)) for choice in value.split(CHOICE))


def _within(value: pa.Array, one_of: tuple[str, ...]) -> pa.Array:
    """bool[N]: whether each value is among `one_of`; true for null. Each distinct value is tested once."""
    values = pc.dictionary_encode(value)
    wanted = frozenset(one_of)
    within = pa.array([among(text, wanted) for text in values.dictionary.to_pylist()], pa.bool_())
    return pc.fill_null(within.take(values.indices), True)


def _concerned(rule: Rule, languages: pa.Array | None) -> pa.Array:
    """bool[N]: the documents that the rule applies to."""
    assert languages is not None, f"the limit on {rule.signal} depends on the language"
    others = pc.invert(pc.is_in(languages, pa.array(rule.but, languages.type)))
    return others if rule.only is None else pc.and_(others, pc.is_in(languages, pa.array(rule.only, languages.type)))


def first_failure(
    signals: Mapping[str, pa.Array], rules: Sequence[Rule], rows: int, languages: pa.Array | None = None
) -> pa.Array:
    """The first limit that each document breaks, "<signal>:<unmeasured|low|high|not_in>", or null to keep it;
    string[rows]. `languages` as for `broken`.

    An unmeasured document is dropped: a filter that cannot judge a document must not keep it. Raises KeyError if a rule
    names a signal that was not measured.
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
