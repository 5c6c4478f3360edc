"""The limits that every extractor shares: counted ones that decide, and the net of time and memory behind them."""

from dataclasses import dataclass

from curation.core.errors import RecipeError


@dataclass(frozen=True, kw_only=True)
class Limits:
    """A page past a counted limit is never parsed; the verdict is the same on every machine.

    The defaults are far above the fullest of 2,033 real pages: 35,704 nodes, 41 deep, 64 attributes in a tag, 1.4 MB
    (the public pages of data/web, measured 2026-11). Time and memory are the net for what the counts let through: what
    it caught is recorded, so that a second run drops the same pages untried.
    """

    max_bytes: int = 10 << 20  # of the page as read, before decoding
    max_nodes: int = 400_000  # elements, attributes, comments and runs of text
    max_depth: int = 256  # elements open at once, html and body included; of <p>, <li>, <td> … only the innermost
    max_attributes: int = 2_000  # in one tag: parsers compare each with all before it
    timeout_seconds: float = 30.0  # wall clock, per page
    memory_mb: int = 2_048  # MiB of address space of the parsing process, interpreter and library included

    def __post_init__(self) -> None:
        for name in ("max_bytes", "max_nodes", "max_depth", "max_attributes", "timeout_seconds"):
            if not getattr(self, name) > 0:
                raise RecipeError(f"{name} is {getattr(self, name)}; it must be above 0")
        if self.memory_mb < 256:
            raise RecipeError(f"memory_mb is {self.memory_mb}; a parsing process needs at least 256 MiB to start")
