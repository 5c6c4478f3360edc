"""Counts how much of each input file could be read: lines, values of JSON, records, or bytes of an archive.

What was skipped never became a row of a stage, so it is counted here, file by file. A file may be cut into several
units, whose figures add up to those of the file in the order of its parts: where its first bad row is follows from the
lines before.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from curation.core.wording import counted, listed

# What is wrong with rows, by the cause under which they are counted as `skipped.<cause>`.
CAUSES = {
    "bad_json": "not JSON",
    "long_line": "too long",
    "no_post": "no posts",
    "no_id": "without an id",
    "timeout": "not read in time",
    "memory": "too large for the memory",
}
DAMAGED = "damaged"
NOT_JSON = "not JSON: "  # begins an error, where the cause says so already


@dataclass(frozen=True)
class FirstFault:
    """The first row of a file that could not be read; `line` counts from 1, and is None where lines mean nothing."""

    offset: int
    error: str
    line: int | None = None

    def words(self) -> str:
        """ "first at line 31 (byte 5,321): Unterminated string"."""
        if self.offset < 0:
            return self.error
        place = f"byte {self.offset:,}" if self.line is None else f"line {self.line:,} (byte {self.offset:,})"
        return f"first at {place}: {self.error.removeprefix(NOT_JSON)}"


@dataclass
class InputRows:
    """Rows read from a file or from a part of it. `called` is the noun for one row, and `failed` counts by cause those
    that could not be read. From the number of line breaks, `lines`, the line of a fault in a later part is computed."""

    file: str
    called: str = "line"
    read: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    lines: int = 0
    first: FirstFault | None = None

    @property
    def rows(self) -> int:
        """All rows of the file."""
        return self.read + self.failed.total()

    @property
    def failed_fraction(self) -> float:
        """The fraction of the rows that could not be read; 0 for a file without rows."""
        return self.failed.total() / max(self.rows, 1)

    def fail(self, cause: str, offset: int, error: str, line: int | None = None) -> None:
        """Counts one more row that could not be read."""
        self.failed[cause] += 1
        if self.first is None or offset < self.first.offset:
            self.first = FirstFault(offset, error, line)

    def add(self, later: Self) -> None:
        """Adds what was read of the next part of the file."""
        if self.first is None and later.first is not None:
            line = later.first.line
            self.first = replace(later.first, line=None if line is None else line + self.lines)
        self.read += later.read
        self.failed.update(later.failed)
        self.lines += later.lines

    def words(self) -> str:
        """ "60 of 120 lines are not JSON, first at line 31 (byte 5,321): Unterminated string"."""
        failed = self.failed.total()
        if not self.read:
            what = (
                f"no {self.called} could be read" if failed == 1 else f"none of {failed:,} {self.called}s could be read"
            )
            return f"{what}, {self.first.words()}" if self.first else what
        causes = listed(CAUSES.get(cause, DAMAGED) for cause in self.failed) if len(self.failed) < 3 else DAMAGED
        what = f"{failed:,} of {counted(self.rows, self.called)} {'is' if failed == 1 else 'are'} {causes}"
        return f"{what}, {self.first.words()}" if self.first else what

    def plain(self) -> dict[str, Any]:
        """The fields as JSON holds them."""
        return {**vars(self), "failed": dict(sorted(self.failed.items())), "first": self.first and vars(self.first)}

    @classmethod
    def parsed(cls, value: Mapping[str, Any]) -> Self:
        """The figures that `plain` gave."""
        first = FirstFault(**value["first"]) if value["first"] else None
        return cls(**{**value, "failed": Counter(value["failed"]), "first": first})


def rows_by_file(parts: Iterable[Mapping[str, Any]]) -> list[InputRows]:
    """The figures of each file that has some, from those of its parts in their order, as `InputRows.plain` gives
    them."""
    files: dict[str, InputRows] = {}
    for part in map(InputRows.parsed, parts):
        if part.file in files:
            files[part.file].add(part)
        else:
            files[part.file] = part
    return list(files.values())
