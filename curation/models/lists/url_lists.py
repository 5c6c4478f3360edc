"""Lists of what is wrong with URLs: domains, hosts, URLs, expressions, words; from files and from recipes.

What a file lists is the last word of its name, before ".txt" and ".gz": `domains`, `urls`, `expressions`, `hosts`,
`words`, `subwords`, `soft_words`. So are named the files of a category of the UT1 lists (`adult/domains`), and with a
name of its own any file can be given one (`{adult.domains: some/file}`). A folder stands for all such files in it and
below, as the UT1 lists ship (`ut1/adult/domains`, `ut1/gambling/urls`, …), a glob (`ut1/a*/domains`) for those of the
files it matches; files of other names are passed over there. One entry a line, gzip or plain; what a line may look like
says `curation.text.urls.list_lines`. An expression is a regular one as RE2 has them, found anywhere in a URL, in any
case.
"""

import gzip
import posixpath
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core import storage
from curation.core.errors import InputError
from curation.core.protocols import Files
from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.phrases.string_set import Entries, entries_of, joined
from curation.text.urls.list_lines import gathered, named_spans
from curation.text.urls.list_matches import without_www
from curation.text.urls.parse import parse_spans

KINDS = ("domains", "hosts", "urls", "expressions", "subwords", "words", "soft_words")
_SEPARATOR = re.compile(r"[./-]")
_NO_WORD = re.compile(r"[\x00-/:-@\[-`{-\x7f]+")


@dataclass(frozen=True)
class Listed:
    """Everything of one kind: the lists' names, where the entries of each end (int64[lists]), and the entries."""

    lists: tuple[str, ...]
    ends: Indices
    entries: Entries

    def list_names(self, found: Indices) -> pa.Array:
        """string[N]: the list that an entry is from, null for -1."""
        place = np.searchsorted(self.ends, found, side="right")
        return pa.array(self.lists, pa.string()).take(pa.array(place, mask=found < 0))


def files_of(given: Files) -> dict[str, str]:
    """Name -> path of the list files; folders and globs stand for all that they hold, and paths name themselves.

    Raises InputError for a name that does not say what the file lists, and for two files of one name.
    """
    named = given if isinstance(given, Mapping) else _named((given,) if isinstance(given, str) else given)
    for name in named:
        kind_of(name)
    return dict(named)


@lru_cache(maxsize=32)
def _named(given: tuple[str, ...]) -> Mapping[str, str]:
    named: dict[str, str] = {}
    for path in (path for one in given for path in _expand(one)):
        name = _name(path)
        if named.get(name, path) != path:
            raise InputError(f"{named[name]} and {path} have one name, {name}; give them as `{{NAME: PATH}}`")
        named[name] = path
    return named


def check(files: Mapping[str, str]) -> None:
    """Raises InputError for a file that is not there."""
    for path in files.values():
        if storage.size(path) < 0:
            raise InputError(f"no list at {path}; give the path or URI of a file")


def kind_of(name: str) -> str:
    """What a list of this name lists. Raises InputError where the name does not say."""
    kind = _SEPARATOR.split(name)[-1]
    if kind not in KINDS:
        raise InputError(
            f"the name of list {name!r} must end in what it lists, one of {', '.join(KINDS)}; "
            "a file of another name is given one: `{adult.domains: PATH}`"
        )
    return kind


def _expand(path: str) -> list[str]:
    if storage.size(path) >= 0:
        return [path]
    try:
        inside = [file.path for file in storage.list_files(path)]
    except InputError as error:
        raise InputError(f"no list at {path}; give the path or URI of a file or folder, or a glob") from error
    found = [file for file in inside if _SEPARATOR.split(_name(file))[-1] in KINDS]
    if not found:
        names = ", ".join(KINDS)
        raise InputError(
            f"no list among the {len(inside):,} files of {path}: none is called {names}, or ends in .domains …"
        )
    return found


def _name(path: str) -> str:
    folder, file = posixpath.split(path)
    stem = file.removesuffix(".gz").removesuffix(".txt")
    return f"{posixpath.basename(folder)}.{stem}" if stem in KINDS and folder else stem


@lru_cache(maxsize=32)
def load(kind: str, given: tuple[tuple[str, tuple[str, ...]], ...], files: tuple[tuple[str, str], ...]) -> Listed:
    """All entries of a kind: those `given` as (list's name, its lines), then those of the files (name, path).

    Raises InputError for a file that cannot be read or has lines but no entry, and for a given line without one.
    """
    names, parts = [], []
    for name, lines in given:
        names.append(name)
        parts.append(joined([_read(kind, line.encode(), repr(line)) for line in lines]))
    for name, path in files:
        names.append(name)
        parts.append(_read(kind, _content(path), path))
    ends = np.cumsum([len(offsets) - 1 for _, offsets in parts], dtype=np.int64)
    return Listed(tuple(names), ends, entries_of(*joined(parts)))


def _content(path: str) -> bytes:
    content = storage.read_bytes(path)
    try:
        return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} is no whole gzip file: {error}") from error


def _read(kind: str, content: bytes, where: str) -> tuple[Bytes, Indices]:
    """Bytes and offsets of the entries, in the form in which they are looked up."""
    if kind in ("domains", "hosts", "urls"):
        data = np.frombuffer(content, np.uint8)
        starts, stops = named_spans(data)
        urls = parse_spans(data, starts, stops, single=kind == "domains")
        if kind != "urls":  # one page of a host is not the host
            urls = urls.only(urls.stops <= urls.host_stops + 1)
        found = gathered(urls, urls.starts if kind == "domains" else without_www(urls), urls.stops)
        if len(starts) and len(found[1]) == 1:
            raise InputError(f"{where} lists no {kind}; expected one a line, as example.com")
        return found
    lines = [line.strip() for line in content.decode("utf-8", "replace").splitlines()]
    lines = [line for line in lines if line and not line.startswith("# ")]
    if kind == "expressions":
        _check(lines, where)
        return text_buffers(pa.array(lines, pa.large_string()))
    return text_buffers(pa.array([_word(line, kind, where) for line in lines], pa.large_string()))


def _word(line: str, kind: str, where: str) -> str:
    """A word as it is looked up: small letters, and without what parts words in a URL."""
    word = _NO_WORD.sub("", line.lower())
    if len(word.encode()) < (3 if kind == "subwords" else 1):
        raise InputError(f"{where}: {line!r} is too short for {kind}: it would be found everywhere")
    return word


def _check(expressions: Sequence[str], where: str) -> None:
    for expression in expressions:
        try:
            pc.match_substring_regex(pa.array([""]), expression)
        except pa.ArrowInvalid as error:
            raise InputError(f"{where}: {expression!r} is no regular expression that RE2 knows: {error}") from error
