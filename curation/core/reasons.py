"""The grammar of drop reasons. Every dropped row has exactly one.

`<key>.<signal>:<low|high|not_in|unmeasured>`   beyond a rule's limit
`dedup.<method>:duplicate`                      a copy of a kept document
`extract:<cause>`                               the record gave no text
`error.<key>.<Exception>`                       the component failed on this document
`takedown`                                      taken down before this stage ran, which never saw its text
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from curation.core.rules import SIDES

TAKEDOWN = "takedown"

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


def rule_reason(key: str, failure: str) -> str:
    """`failure` is "<signal>:<side>", as `rules.first_failure` returns it."""
    return f"{key}.{failure}"


def duplicate_reason(method: str) -> str:
    return f"dedup.{method}:duplicate"


def extract_reason(cause: str) -> str:
    return f"extract:{cause}"


def error_reason(key: str, error: BaseException) -> str:
    return f"error.{key}.{type(error).__name__}"


def errors_in(dropped: Mapping[str, int]) -> dict[str, int]:
    """Those of the counts by reason that are of documents on which a component failed."""
    return {reason: count for reason, count in dropped.items() if reason.startswith("error.")}


def parse(reason: str) -> Reason:
    """Raises ValueError for a string outside the grammar."""
    match = _GRAMMAR.fullmatch(reason)
    if match is None:
        raise ValueError(f"{reason!r} is not a drop reason; see curation/core/reasons.py for the grammar")
    if match["rule"]:
        return Reason("rule", match["key"], f"{match['signal']}:{match['side']}")
    if match["dedup"]:
        return Reason("dedup", match["method"], "duplicate")
    if match["extract"]:
        return Reason("extract", "extract", match["cause"])
    if match["takedown"]:
        return Reason(TAKEDOWN, TAKEDOWN, "")
    return Reason("error", match["failed"], match["exception"])
