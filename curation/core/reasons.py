"""The grammar of drop reasons. Every dropped row has exactly one.

`<key>.<signal>:<low|high|not_in|unmeasured>`   beyond a rule's limit
`dedup.<method>:duplicate`                      a copy of a kept document
`extract:<cause>`                               the record gave no text
`error.<key>.<Exception>`                       the component failed on this document
`error.<key>.<timeout|memory>`                  the document took it too much processor time or memory
`takedown`                                      taken down before this stage ran, or a copy of what was
"""

from collections.abc import Mapping

from curation.core.watchdog import Overrun

TAKEDOWN = "takedown"


def rule_reason(key: str, failure: str) -> str:
    """`failure` is "<signal>:<side>", as `rules.first_failure` returns it."""
    return f"{key}.{failure}"


def duplicate_reason(method: str) -> str:
    return f"dedup.{method}:duplicate"


def extract_reason(cause: str) -> str:
    return f"extract:{cause}"


def error_reason(key: str, error: BaseException) -> str:
    name = error.cause if isinstance(error, Overrun) else type(error).__name__
    return f"error.{key}.{name}"


def errors_in(dropped: Mapping[str, int]) -> dict[str, int]:
    """The counts whose reason is that a component failed."""
    return {reason: count for reason, count in dropped.items() if reason.startswith("error.")}
