"""Lists of domains, hosts, URLs, expressions or words in URLs, from files and recipes.

The last word of a file's name, before ".txt" and ".gz", says what it lists: `domains`, `urls`, `expressions`, `hosts`,
`words`, `subwords` or `soft_words`. The UT1 lists are named like this (`adult/domains`); any other file can be given
such a name (`{adult.domains: some/file}`). A folder stands for all such files in and below it, a glob
(`ut1/a*/domains`) for those that it matches; files with other names are skipped. Files hold one entry per line (see
`curation.text.urls.list_lines`), plain or gzipped. An expression is an RE2 regular expression, found anywhere in a URL,
in any case.
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
from curation.core.component import Files
from curation.core.errors import InputError
from curation.core.input_files import list_files
from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.phrases.string_set import Entries, entries_of, joined
from curation.text.urls.list_lines import gathered, named_spans
from curation.text.urls.list_matches import without_www
from curation.text.urls.parse import parse_spans

KINDS = ("domains", "hosts", "urls", "expressions", "subwords", "words", "soft_words")
_SEPARATOR = re.compile(r"[./-]")
_NO_WORD = re.compile(r"[\x00-/:-@\[-`{-\x7f]+")


@dataclass(frozen=True)
class UrlLists:
    """All lists of one kind: their names, where the entries of each end (int64[lists]), and the entries."""

    lists: tuple[str, ...]
    ends: Indices
    entries: Entries

    def list_names(self, numbers: Indices) -> pa.Array:
        """string[N]: the names of the lists that hold the entries of these numbers, null for -1."""
        place = np.searchsorted(self.ends, numbers, side="right")
        return pa.array(self.lists, pa.string()).take(pa.array(place, mask=numbers < 0))


def files_of(files: Files) -> dict[str, str]:
    """Name -> path of the list files, with folders and globs expanded.

    Raises InputError for a name that does not say what the file lists, and for two files of the same name.
    """
    named = files if isinstance(files, Mapping) else _named((files,) if isinstance(files, str) else files)
    for name in named:
        kind_of(name)
    return dict(named)


@lru_cache(maxsize=32)
def _named(paths: tuple[str, ...]) -> Mapping[str, str]:
    named: dict[str, str] = {}
    for path in (file for pattern in paths for file in _expand(pattern)):
        name = _name(path)
        if named.get(name, path) != path:
            raise InputError(f"{named[name]} and {path} have the same name, {name}; name them with `{{NAME: PATH}}`")
        named[name] = path
    return named


def check(files: Mapping[str, str]) -> None:
    """Raises InputError for a missing file."""
    for path in files.values():
        if storage.size(path) < 0:
            raise InputError(f"no list at {path}; give the path or URI of a file")


def kind_of(name: str) -> str:
    """What a list of this name lists. Raises InputError if the name does not say."""
    kind = _SEPARATOR.split(name)[-1]
    if kind not in KINDS:
        raise InputError(
            f"the name of list {name!r} must end in what it lists, one of {', '.join(KINDS)}; "
            "name the file, for example `{adult.domains: PATH}`"
        )
    return kind


def _expand(path: str) -> list[str]:
    if storage.size(path) >= 0:
        return [path]
    try:
        inside = [file.path for file in list_files(path)]
    except InputError as error:
        raise InputError(f"no list at {path}; give the path or URI of a file or folder, or a glob") from error
    lists = [file for file in inside if _SEPARATOR.split(_name(file))[-1] in KINDS]
    if not lists:
        names = ", ".join(KINDS)
        raise InputError(
            f"no list among the {len(inside):,} files of {path}: none is called {names}, or ends in .domains …"
        )
    return lists


def _name(path: str) -> str:
    folder, file = posixpath.split(path)
    stem = file.removesuffix(".gz").removesuffix(".txt")
    return f"{posixpath.basename(folder)}.{stem}" if stem in KINDS and folder else stem


@lru_cache(maxsize=32)
def load(kind: str, inline: tuple[tuple[str, tuple[str, ...]], ...], files: tuple[tuple[str, str], ...]) -> UrlLists:
    """All entries of a kind: those of the `inline` lists (name, lines), then those of the files (name, path).

    Raises InputError for a file that cannot be read or has lines but no entry, and for an inline line without one.
    """
    names = []
    arrays = []
    for name, lines in inline:
        names.append(name)
        arrays.append(joined([_read(kind, line.encode(), repr(line)) for line in lines]))
    for name, path in files:
        names.append(name)
        arrays.append(_read(kind, _content(path), path))
    ends = np.cumsum([len(offsets) - 1 for _, offsets in arrays], dtype=np.int64)
    return UrlLists(tuple(names), ends, entries_of(*joined(arrays)))


def _content(path: str) -> bytes:
    content = storage.read_bytes(path)
    try:
        return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} is not a whole gzip file: {error}") from error


def _read(kind: str, content: bytes, where: str) -> tuple[Bytes, Indices]:
    """Bytes and offsets of the entries as they are looked up."""
    if kind in ("domains", "hosts", "urls"):
        data = np.frombuffer(content, np.uint8)
        starts, stops = named_spans(data)
        urls = parse_spans(data, starts, stops, single=kind == "domains")
        if kind != "urls":  # one page of a host is not the host
            urls = urls.only(urls.stops <= urls.host_stops + 1)
        data, offsets = gathered(urls, urls.starts if kind == "domains" else without_www(urls), urls.stops)
        if len(starts) and len(offsets) == 1:
            raise InputError(f"{where} lists no {kind}; expected one per line, such as example.com")
        return data, offsets
    lines = [line.strip() for line in content.decode("utf-8", "replace").splitlines()]
    lines = [line for line in lines if line and not line.startswith("# ")]
    if kind == "expressions":
        _check(lines, where)
        return text_buffers(pa.array(lines, pa.large_string()))
    return text_buffers(pa.array([_word(line, kind, where) for line in lines], pa.large_string()))


def _word(line: str, kind: str, where: str) -> str:
    """A word as it is looked up: in lower case, without characters that separate words in a URL."""
    word = _NO_WORD.sub("", line.lower())
    if len(word.encode()) < (3 if kind == "subwords" else 1):
        raise InputError(f"{where}: {line!r} is too short for {kind}: it would match everywhere")
    return word


def _check(expressions: Sequence[str], where: str) -> None:
    for expression in expressions:
        try:
            pc.match_substring_regex(pa.array([""]), expression)
        except pa.ArrowInvalid as error:
            raise InputError(f"{where}: {expression!r} is no regular expression for RE2: {error}") from error
