"""A limit declares which options of a rule set bound which signal, and when.

A rule set states all its limits in one table, which whatever asks for them reads: the rules that judge documents,
`winnow tune`, limits that name a quantile, limits by language, and the refusal of impossible values.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from math import inf
from typing import Any, TypeAlias

# Option -> the values of which it must have one (none: any that is set), for each of some options; a list of values has
# each of them.
When: TypeAlias = Mapping[str, tuple[str, ...]]
# ranges for `Limit.between`
SHARES = (0.0, 1.0)
COUNTS = (0.0, inf)


@dataclass(frozen=True)
class Limit:
    """What bounds a signal: by name the options with its least and its greatest value, or these values themselves where
    no option has them.

    An option that is None has the value `unset`; where that is None too, it sets no limit. An option whose default is
    infinite sets none by default.
    """

    signal: str
    _: KW_ONLY
    least: str | float = -inf
    most: str | float = inf
    one_of: str = ""  # the option, or property, with the values of a string signal that are kept; empty: any
    each: str = ""  # the option with least values by language, which go before `least`
    between: tuple[float, float] = (-inf, inf)  # range of the signal's possible values; of no effect on decisions
    unset: float | None = None
    when: When = field(default_factory=dict)  # the limit holds only together with these values of other options
    but: tuple[str, ...] = ()  # the limit does not hold for these values of `by`
    by: str = "language.label"  # string signal, "<column>.<signal>", with the values by which limits differ

    def options(self) -> tuple[str, ...]:
        """The options that set it."""
        return tuple(name for name in (self.least, self.most, self.one_of, self.each) if name and isinstance(name, str))

    def option(self, side: str) -> str:
        """The option that sets the side "low" or "high" for all languages; "" if none does."""
        named = {"low": self.least, "high": self.most}.get(side, "")
        return named if isinstance(named, str) else ""

    def holds(self, component: Any) -> bool:
        """Whether it bounds anything together with the other options of the component."""
        return fits(self.when, component)

    def allows(self, value: float) -> bool:
        """False for a bound that no value of the signal can reach."""
        return self.between[0] <= value <= self.between[1] and abs(value) < inf


def fits(when: When, component: Any) -> bool:
    """Whether each of the options has one of its values."""
    return all(_has(getattr(component, option), wanted) for option, wanted in when.items())


def _has(value: Any, wanted: tuple[str, ...]) -> bool:
    if not wanted:
        return bool(value)
    return any(one in wanted for one in value) if isinstance(value, tuple) else value in wanted
