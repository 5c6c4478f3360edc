"""Looks at files before any work, under the deadline of reading: what exceeds it is refused with one line."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from curation.core.credentials import masked
from curation.core.errors import InputError
from curation.core.threads import map_threads
from curation.core.watchdog import LIMITS, Overrun, Watchdog, WatchedWork

T = TypeVar("T")


class _Look(WatchedWork):
    """At one file."""

    waits = False  # stores have time limits of their own

    def __init__(self, path: str) -> None:
        super().__init__(LIMITS)
        self._path = path

    def line(self, limit: str) -> str:
        return f"{masked(self._path)}: a look at its beginning took {limit}; leave it out of `paths`, or write it anew"

    def ending(self) -> dict[str, Any]:
        return {"folder": "", "line": f"winnow: {self.line('{limit}')}"}


def looked_at(path: str, call: Callable[[], T]) -> T:
    """The result of a look at the file. Raises InputError where it exceeds a limit."""
    look = _Look(path)
    with Watchdog() as watchdog:
        try:
            return watchdog.run(call, look)
        except Overrun as error:
            raise InputError(look.line(LIMITS.words(error.cause))) from None


def look_at(call: Callable[[str], T], paths: Sequence[str]) -> list[T]:
    """The results of a look at each file, in order, several at a time."""
    return map_threads(lambda path: looked_at(path, partial(call, path)), paths)
