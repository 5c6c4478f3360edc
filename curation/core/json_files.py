"""Reads JSON files that winnow wrote: whatever stands there, it is of its declared shape, absent, or one line of error.

A file in a run may be damaged, or made by somebody else. Read here it costs time and memory in proportion to its size,
which has a bound, and its content is checked before any of it is used.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import pyarrow.fs as pafs

from curation.core import storage
from curation.core.errors import InputError
from curation.core.shape_error import shown
from curation.core.shapes import checked

T = TypeVar("T")

MAX_BYTES = 2**28  # of a file; a manifest of 100,000 token shards has 100 MB …
MAX_VALUES = 10_000_000  # … and 3 million values: an empty list has two bytes in a file, and 64 in memory
DIGITS = 32  # of a whole number; transformers writes int(1e30), which has 31, for texts of any length
AGAIN = "delete it and run the same command again"  # for what a command makes anew

_HALF = re.compile(rb"\\u[dD][89abAB]")  # of a character beyond U+FFFF, in JSON of ASCII


class CutShortError(ValueError):
    """Content that is no JSON, as if its writer was killed."""


def parse_json(content: bytes) -> Any:
    """The value. Raises CutShortError for what is not JSON in UTF-8, ValueError for values that no command writes: of
    more levels than Python reads, more than MAX_VALUES, with a key given twice, a whole number of more than DIGITS or
    half a character."""
    try:
        _check_values(content)
        value = json.loads(content.decode(), object_pairs_hook=_each_once, parse_int=_whole)
    except json.JSONDecodeError as error:
        raise CutShortError(f"not JSON: {error}") from error
    except UnicodeDecodeError as error:
        raise CutShortError(f"not UTF-8: byte {error.start:,} is {error.object[error.start]:#04x}") from error
    except RecursionError as error:
        raise ValueError("its values are nested too deep") from error
    if _HALF.search(content):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"its text holds half a character, {error.object[error.start]!a}") from error
        except RecursionError as error:
            raise ValueError("its values are nested too deep") from error
    return value


def parse_shape(content: bytes, kind: type[T], where: str, remedy: str) -> T:
    """The content of a file as `kind`. Raises InputError, which says `where` and ends with the `remedy`."""
    return _told(lambda: checked(parse_json(content), kind), where, remedy)


def shaped(value: Any, kind: type[T], where: str, remedy: str) -> T:
    """A value that was read as another shape, as `kind`. Raises InputError as `parse_shape`."""
    return _told(lambda: checked(value, kind), where, remedy)


def parse_lines(lines: Iterable[bytes], kind: type[T], where: str, remedy: str) -> list[T]:
    """Each line as `kind`. Raises InputError, which names the line."""
    return [parse_shape(line, kind, f"{where}, line {number:,},", remedy) for number, line in enumerate(lines, 1)]


def read_shape(uri: str, kind: type[T], remedy: str = AGAIN) -> T:
    """The content of a file as `kind`. Raises InputError for anything else, and where there is no file."""
    found = _told(lambda: file_bytes(uri), uri, remedy)
    if found is None:
        raise InputError(f"no file at {uri}")
    return parse_shape(found, kind, uri, remedy)


def find_shape(uri: str, kind: type[T], remedy: str = AGAIN) -> T | None:
    """As `read_shape`; None where there is no file."""
    found = _told(lambda: file_bytes(uri), uri, remedy)
    return None if found is None else parse_shape(found, kind, uri, remedy)


def find_whole(uri: str, kind: type[T], remedy: str = AGAIN) -> T | None:
    """As `find_shape`; None also for a file that is no JSON, as one is whose writer was killed."""

    def value() -> T | None:
        try:
            content = file_bytes(uri)
            return None if content is None else checked(parse_json(content), kind)
        except CutShortError:
            return None

    return _told(value, uri, remedy)


def file_bytes(uri: str) -> bytes | None:
    """None where there is nothing. Raises ValueError for what is no file, or too large to be read."""
    fs, path = storage.resolve(uri)
    info = fs.get_file_info(path)
    if info.type == pafs.FileType.NotFound:
        return None
    if info.type != pafs.FileType.File:
        raise ValueError("it is not a file")
    if (info.size or 0) > MAX_BYTES:
        raise ValueError(f"it has {info.size:,} bytes, and no such file has more than {MAX_BYTES:,}")
    return storage.read_bytes(uri)


def _told(read: Callable[[], T], where: str, remedy: str) -> T:
    """Returns what `read` gives. Raises InputError for its ValueError."""
    try:
        return read()
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{where} is damaged: {error}; {remedy}") from error


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        (twice, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"the key {shown(twice)} is given twice")
    return value


def _whole(digits: str) -> int:
    if len(digits) > DIGITS:
        raise ValueError(f"a whole number has {len(digits):,} digits")
    return int(digits)


def _check_values(content: bytes) -> None:
    values = sum(map(content.count, (b",", b"[", b"{")))
    if values > MAX_VALUES:
        raise ValueError(f"it has about {values:,} values, and no such file has more than {MAX_VALUES:,}")
