"""Parses drop reasons, to test that components write only what the grammar of `curation.core.reasons` has."""

import re
from dataclasses import dataclass

from curation.core.reasons import TAKEDOWN
from curation.core.rules import SIDES

_NAME = r"[a-z][a-z0-9_]*"
_GRAMMAR = re.compile(
    rf"(?P<rule>(?P<key>{_NAME})\.(?P<signal>{_NAME}):(?P<side>{'|'.join(SIDES)}))"
    rf"|(?P<dedup>dedup\.(?P<method>{_NAME}):duplicate)"
    rf"|(?P<extract>extract:(?P<cause>{_NAME}))"
    rf"|(?P<error>error\.(?P<failed>{_NAME})\.(?P<exception>[A-Za-z_][A-Za-z0-9_]*))"
    rf"|(?P<takedown>{TAKEDOWN})"
)


@dataclass(frozen=True)
class Reason:
    """A parsed reason."""

    kind: str  # rule, dedup, extract, error or takedown
    key: str  # of the component that gave it
    detail: str


def parse(reason: str) -> Reason:
    """Raises ValueError for a string outside the grammar."""
    match = _GRAMMAR.fullmatch(reason)
    if match is None:
        raise ValueError(f"{reason!r} is not a drop reason")
    if match["rule"]:
        return Reason("rule", match["key"], f"{match['signal']}:{match['side']}")
    if match["dedup"]:
        return Reason("dedup", match["method"], "duplicate")
    if match["extract"]:
        return Reason("extract", "extract", match["cause"])
    if match["takedown"]:
        return Reason(TAKEDOWN, TAKEDOWN, "")
    return Reason("error", match["failed"], match["exception"])
