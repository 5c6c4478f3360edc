"""The order of a repository's files in which each comes after those of the repository that it imports.

Source: Guo et al. 2024, "DeepSeek-Coder" (arXiv:2401.14196), section 2.2: imports are found by regular expressions, and
where they form a circle, the file with the fewest imports still open comes first. Choices: of files alike in that, the
first in the repository comes first; a name that two files bear is no import of either.
"""

import heapq
import posixpath
import re
from collections.abc import Iterable, Sequence
from typing import Protocol

MAX_IMPORTS = 1_000  # of a file
MAX_PARTS = 32  # of a path, its last ones: a longer name in an import is of no file

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*(?:include|import)[ \t]*"([^"\n]+)"', re.MULTILINE)
_DOTTED = re.compile(r"^[ \t]*(?:from|import)[ \t]+(?:static[ \t]+)?([\w.]+)", re.MULTILINE)
_RELATIVE = re.compile(r"""\b(?:from|import|require\()[ \t]*["'](\.[^"'\n]+)["']""")
_IMPORTS = {
    **dict.fromkeys(("C", "C++", "CUDA", "Objective-C", "Objective-C++"), _INCLUDE),
    **dict.fromkeys(("Python", "Cython", "Java", "Kotlin", "Scala"), _DOTTED),
    **dict.fromkeys(("JavaScript", "TypeScript", "TSX", "JSX"), _RELATIVE),
}


class Importing(Protocol):
    """What must be known of a file."""

    @property
    def path(self) -> str: ...
    @property
    def text(self) -> str | None: ...
    @property
    def language(self) -> str | None: ...


def import_order(files: Sequence[Importing]) -> list[int]:
    """The positions of the files, in the order in which they are read."""
    bearers = _bearers(files)
    importers: list[list[int]] = [[] for _ in files]
    still_open = [0] * len(files)
    for number, file in enumerate(files):
        imported = {bearers.get(name) for name in _imported(file)} - {None, number}
        still_open[number] = len(imported)
        for other in imported:
            importers[other or 0].append(number)
    waiting = [(count, number) for number, count in enumerate(still_open)]
    heapq.heapify(waiting)
    order: list[int] = []
    while waiting:
        count, number = heapq.heappop(waiting)
        if count != still_open[number]:  # which is again among those that wait, with another count
            continue
        order.append(number)
        still_open[number] = -1
        for other in (other for other in importers[number] if still_open[other] > 0):
            still_open[other] -= 1
            heapq.heappush(waiting, (still_open[other], other))
    return order


def _bearers(files: Iterable[Importing]) -> dict[str, int | None]:
    """Name -> the one file that bears it: the ends of its path, and these without the suffix; whole ones with a "/"
    before them. None where there are two."""
    found: dict[str, int | None] = {}
    for number, file in enumerate(files):
        stem = posixpath.splitext(file.path)[0].removesuffix("/__init__").removesuffix("/index")
        for whole in (file.path, stem):
            parts = whole.rsplit("/", MAX_PARTS)
            ends = ("/".join(parts[at:]) for at in range(len(parts) > MAX_PARTS, len(parts)))
            for name in (f"/{whole}", *ends):
                found[name] = number if found.get(name, number) == number else None
    return found


def names_size(path: str) -> int:
    """Characters of the names that a file with this path bears, about."""
    return 2 * len(path) * min(path.count("/") + 1, MAX_PARTS)


def _imported(file: Importing) -> Iterable[str]:
    """The names in a file's imports, as `_bearers` has them."""
    pattern = _IMPORTS.get(file.language or "")
    folder = posixpath.dirname(file.path)
    for number, match in enumerate(pattern.finditer(file.text or "") if pattern else ()):
        if number == MAX_IMPORTS:
            return
        name = match[1]
        if pattern is _DOTTED:
            bare = name.lstrip(".")
            up = "../" * (len(name) - len(bare) - 1)
            name = f"./{up}{bare.replace('.', '/')}" if name.startswith(".") else bare.replace(".", "/")
        yield posixpath.normpath(f"/{folder}/{name}")
        if not name.startswith("."):
            yield name
