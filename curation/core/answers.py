"""Answers of a filter, a rewriter or an extractor that is called with texts or pages in memory."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """The verdict on one document: `reason` names the limit that it broke, and is None where it is kept. It is true
    where the document is kept: `[text for text in texts if quality(text)]`."""

    kept: bool
    reason: str | None
    signals: dict[str, Any]

    def __bool__(self) -> bool:
        return self.kept


@dataclass(frozen=True, kw_only=True)
class Rewrite:
    """A text as it was rewritten, with the number of changes of each kind; None for a text that is null."""

    text: str | None
    counts: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Extraction:
    """The main text of a page, with its title and more among the signals; None where a stage would drop the page, for
    the reason."""

    text: str | None
    reason: str | None
    signals: dict[str, Any]
