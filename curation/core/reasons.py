"""The grammar of drop reasons. Every dropped row has exactly one.

`<key>.<signal>:<low|high|not_in|unmeasured>`   beyond a rule's limit
`dedup.<method>:duplicate`                      a copy of a kept document
`extract:<cause>`                               the record gave no text
`error.<key>.<Exception>`                       the component failed on this document
`takedown`                                      taken down before this stage ran, which never saw its text
"""

from collections.abc import Mapping

TAKEDOWN = "takedown"


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
    """The counts whose reason is that a component failed."""
    return {reason: count for reason, count in dropped.items() if reason.startswith("error.")}
