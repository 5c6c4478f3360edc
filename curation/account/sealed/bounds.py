"""Maps drop reasons to the bounds behind them, from the limits that a sealed stage recorded.

A manifest states a limit as {"rule": "<key>.<signal>", "at_least" | "at_most" | "one_of": bound, "only", "but", "by"};
a document that breaks it is dropped as "<key>.<signal>:<low|high|not_in>".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from curation.core.manifest import Manifest
from curation.core.rules import Rule

# Side in a drop reason -> the bound that was broken.
BOUNDS = {"low": "at_least", "high": "at_most", "not_in": "one_of"}
_LISTS = ("one_of", "only", "but")


def recorded(manifest: Manifest) -> list[tuple[str, Rule]]:
    """Key and rule of each limit of a stage, in the order they are tried."""
    return [_rule(limit) for limit in manifest.limits]


def _rule(limit: Mapping[str, Any]) -> tuple[str, Rule]:
    key, _, signal = limit["rule"].partition(".")
    values: dict[str, Any] = {
        name: tuple(value) if name in _LISTS else value for name, value in limit.items() if name != "rule"
    }
    return key, Rule(signal, **values)


def sides(rule: Rule) -> dict[str, Any]:
    """Side -> bound, for the sides that the rule bounds."""
    if rule.one_of is not None:
        return {"not_in": rule.one_of}
    return {side: bound for side, bound in (("low", rule.at_least), ("high", rule.at_most)) if abs(bound) != inf}


@dataclass(frozen=True)
class DecidingLimit:
    """The limit that a document broke, and its value: "low" is below `bound`, "high" above, "not_in" is none of it."""

    signal: str  # "gopher_quality.words"
    value: Any
    side: str
    bound: Any


def deciding_limit(rules: Sequence[tuple[str, Rule]], columns: Mapping[str, Any]) -> DecidingLimit | None:
    """The limit behind a document's drop reason, None where that is no limit; `columns` has its signals by column."""
    name, _, side = str(columns.get("drop_reason")).rpartition(":")
    for key, rule in rules:
        if name == f"{key}.{rule.signal}" and side in sides(rule) and concerns(rule, columns):
            return DecidingLimit(name, (columns.get(key) or {}).get(rule.signal), side, sides(rule)[side])
    return None


def concerns(rule: Rule, columns: Mapping[str, Any]) -> bool:
    """Whether the rule applies to a document; `columns` has its signals by column."""
    column, _, label = rule.by.partition(".")
    language = (columns.get(column) or {}).get(label)
    return language not in rule.but and (rule.only is None or language in rule.only)
