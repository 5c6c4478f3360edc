"""The base of rule sets. Their rules follow from the limits that it declares and from the values of its options."""

import dataclasses
from collections.abc import Mapping, Sequence
from importlib import import_module
from math import inf
from typing import Any, ClassVar, overload

import pyarrow as pa

from curation.core.answers import Judgement
from curation.core.component import Component
from curation.core.limits import SHARES, Limit
from curation.core.rules import Rule
from curation.core.verbs import FILTER, Verb

IN_MEMORY = "curation.core.texts_in_memory"  # imported when it is called, because it imports filters itself


class Filter(Component):
    """Measures signals and sets limits on them; never edits. Without limits it only measures."""

    verb: ClassVar[Verb | None] = FILTER
    reads: ClassVar[tuple[str, ...]] = ("text",)

    @overload
    def __call__(self, texts: str | Mapping[str, Any]) -> Judgement: ...
    @overload
    def __call__(self, texts: Sequence[Any]) -> list[Judgement]: ...
    @overload
    def __call__(self, texts: Any) -> Any: ...
    def __call__(self, texts: Any) -> Any:
        """Judges texts in memory: one text, or one document as a mapping with the columns that the filter reads; a list
        of them; a column or a table of Arrow or pandas, which gives a table."""
        return import_module(IN_MEMORY).judged(self, texts)

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> one array[N] per signal, numeric or string. A document's values never depend on its
        neighbours."""
        raise NotImplementedError

    def rules(self) -> tuple[Rule, ...]:
        """What documents must satisfy: the limits that hold with these options, without those that are left unset."""
        return tuple(rule for rule in made(self) if rule.can_fire() or not may_be_unset(self, rule))


def made(rule_set: Filter) -> list[Rule]:
    """The rules of all limits that hold, in their order, also of those that are left unset."""
    rules = []
    for limit in rule_set.limits:
        if not limit.holds(rule_set):
            continue
        own = getattr(rule_set, limit.each) if limit.each else {}
        rule = Rule(
            limit.signal,
            _bound(rule_set, limit, limit.least, -inf),
            _bound(rule_set, limit, limit.most, inf),
            one_of=(getattr(rule_set, limit.one_of) or None) if limit.one_of else None,
            but=limit.but,
            by=limit.by,
            limit=limit,
        )
        rules.append(dataclasses.replace(rule, but=(*limit.but, *own)))
        rules += [dataclasses.replace(rule, at_least=least, only=(label,)) for label, least in own.items()]
    return rules


def may_be_unset(rule_set: Filter, rule: Rule) -> bool:
    """Whether the limit behind a rule need not bound anything: an option of it is None, or infinite by default, or a
    list of what is kept."""
    limit = rule.limit
    assert limit is not None, "it was made from a limit"
    options = {option.name: option for option in dataclasses.fields(rule_set) if option.name in limit.options()}
    none = limit.unset is None and any(getattr(rule_set, name) is None for name in options)
    return bool(limit.one_of) or none or any(option.default in (-inf, inf) for option in options.values())


def limit_of(rule_set: Filter, option: str) -> Limit | None:
    """The limit of which the option is the least or the greatest value, with the other options as they are; None if it
    is of none."""
    held = (limit for limit in rule_set.limits if option in (limit.least, limit.most))
    return next((limit for limit in held if limit.holds(rule_set)), None)


def decides(rule_set: Filter, option: str) -> bool:
    """Whether another value of the option could give other verdicts on the same signals."""
    limits = (limit for limit in rule_set.limits if option in limit.options())
    return option in rule_set.deciding or any(limit.holds(rule_set) for limit in limits)


def impossible(rule_set: Filter) -> tuple[tuple[str, ...], str] | None:
    """The first impossible limit of a rule set: (path of the option that sets it, or its signal if no option does; the
    reason). None if every limit is possible."""
    for rule in rule_set.rules():
        low, high = (_path(rule_set, rule, side) for side in ("low", "high"))
        for path, value, lifted in ((low, rule.at_least, -inf), (high, rule.at_most, inf)):
            if value != lifted and rule.limit is not None and not rule.limit.allows(value):
                return path, f"{_number(value)} is impossible: a value of {rule.signal} {_range(rule.limit, value)}"
        if not rule.can_keep():
            return low, f"{_number(rule.at_least)} is above {high[-1]} {_number(rule.at_most)}: nothing could be kept"
    return None


def _bound(rule_set: Filter, limit: Limit, named: str | float, lifted: float) -> float:
    """The value of the option on one side of a limit, or the value itself."""
    if not isinstance(named, str):
        return named
    value: float | None = getattr(rule_set, named)
    if value is None:
        value = limit.unset
    return lifted if value is None else value


def _path(rule_set: Filter, rule: Rule, side: str) -> tuple[str, ...]:
    """Path of the option that sets one side of a rule."""
    limit = rule.limit
    option = (limit.option(side) if limit else "") or rule.signal
    if not rule.only:
        return (option,)
    if limit and limit.each and side == "low":
        return limit.each, rule.only[0]
    # A limit of the languages that a component can measure is set by the option for all.
    by_language: dict[str, Any] = getattr(rule_set, "by_language", {})
    return ("by_language", rule.only[0], option) if option in by_language.get(rule.only[0], ()) else (option,)


def _range(limit: Limit, value: float) -> str:
    least, most = limit.between
    if most == inf:
        return f"is at least {_number(least)}"
    percent = f"; {_number(value)} % is {value / 100:g}" if limit.between == SHARES and 2 <= value <= 100 else ""
    return f"lies between {_number(least)} and {_number(most)}{percent}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value % 1 == 0 else f"{value}"
