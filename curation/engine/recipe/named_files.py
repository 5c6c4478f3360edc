"""Errors with their line in the recipe; those about files with the line that names the file, where it has one.

The functions are contexts in which an error that is raised gets its line.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from curation.core.credentials import masked
from curation.core.errors import UserError
from curation.core.settings import Path, YamlFile

_BEFORE = re.compile(r"[\s'\"(]?")  # a text that a message names as a word of its own
_AFTER = re.compile(r"$|[\s'\"),;:]|\.(\s|$)")


@contextmanager
def at_line(document: YamlFile, at: Path, kind: type[ValueError] = UserError) -> Iterator[None]:
    """Raises RecipeError with the line of the value at `at`."""
    try:
        yield
    except kind as error:
        raise document.error(at, str(error)) from error


@contextmanager
def at_named(document: YamlFile, at: Path, kind: type[ValueError] = UserError) -> Iterator[None]:
    """Raises RecipeError with the line of the value at or below `at` that the message names, else with that of `at`."""
    try:
        yield
    except kind as error:
        raise document.error(place(document, at, str(error)) or at, str(error)) from error


@contextmanager
def at_named_only(document: YamlFile, at: Path) -> Iterator[None]:
    """The same, but the error itself where the recipe does not have what it names: inputs may come from elsewhere."""
    try:
        yield
    except UserError as error:
        named = place(document, at, str(error))
        if named is None:
            raise
        raise document.error(named, str(error)) from error


def place(document: YamlFile, at: Path, message: str) -> Path | None:
    """Where the longest text at or below `at` stands that the message has as a word of its own; None without one."""
    value = document.data
    for step in at:
        inside = dict(enumerate(value)) if isinstance(value, list | tuple) else value if isinstance(value, dict) else {}
        if step not in inside:
            return None
        value = inside[step]
    found = [(len(text), path) for path, text in _texts(value, at) if _names(message, text)]
    return max(found, key=lambda one: one[0])[1] if found else None


def _texts(value: Any, at: Path) -> Iterator[tuple[Path, str]]:
    """Every text in a value, with its path, in the order of the file."""
    if isinstance(value, str):
        yield at, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list | tuple) else ()
    for key, inner in items:
        yield from _texts(inner, (*at, key))


def _names(message: str, text: str) -> bool:
    """Whether the message has the text, as errors show it, between blanks or marks."""
    if not text.strip() or len(text) > len(message):
        return False
    shown = masked(text)
    at = message.find(shown)
    while at >= 0:
        before = message[max(at - 1, 0) : at]
        after = message[at + len(shown) : at + len(shown) + 2]
        if _BEFORE.fullmatch(before) and _AFTER.match(after):
            return True
        at = message.find(shown, at + 1)
    return False
