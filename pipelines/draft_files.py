"""Finds out what the files are for which a recipe is drafted, and which of them are read alike.

Of files in one folder whose names differ in their digits alone, and which one source knows as its own, one is looked at
closely.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias
from zlib import crc32

from curation.core import catalog
from curation.core.errors import InputError
from curation.core.input_files import InputFile, list_files
from curation.core.names import name_text, system_name
from curation.core.verbs import READ
from curation.sources.arrow import data_files
from curation.sources.beginning import file_start
from curation.sources.html import PAGE
from curation.sources.inspection import Given, InspectedFile, first_guess, inspected, recognised

LOOKED = 64  # of files that are called alike, at whose beginnings is looked; where these differ, at all
WHOLE = re.compile(r"\.(?:txt|text|md|html?|xhtml?|php)\Z", re.IGNORECASE)  # ends of files that each are a document
OF_A_SITE = re.compile(  # ends of the paths of files that a site has beside its pages
    r"\.(?:css|js|mjs|map|ico|png|jpe?g|gif|svg|webp|avif|bmp|woff2?|ttf|otf|eot|mp[34]|webm|ogg|swf|webmanifest)\Z"
    r"|(?:\A|/)(?:robots\.txt|(?:sitemap[^/]*|feed|rss|atom|index)\.xml)\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class DraftFile:
    """A file, by which of the given patterns it was found, and what it, or one like it, is."""

    pattern: str
    file: InputFile
    look: InspectedFile


@dataclass
class DraftFiles:
    """The files that are read, all that were found by each pattern, and why some are not read, by their paths."""

    read: list[DraftFile] = field(default_factory=list)
    every: dict[str, list[str]] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)  # those of all patterns
    left_out: dict[str, str] = field(default_factory=dict)


def draft_files(given: Sequence[str]) -> DraftFiles:
    """Each file once. Raises InputError where nothing is found."""
    found = DraftFiles()
    listed = {pattern: _listed(pattern, found) for pattern in given}
    kinds = _kinds([file.path for files in listed.values() for file in files])
    options: dict[str, dict[str, str]] = {}
    for path, kind in kinds.items():
        if kind.gives:
            options.setdefault(kind.key, {})[kind.gives] = path
    looks: Looks = {}
    for pattern, files in listed.items():
        found.read += _looked_at(pattern, files, kinds, options, looks, found.left_out)
    return found


@dataclass(frozen=True)
class _Kind:
    """The source that knows a file, "" if none does, which of its options the file is for, if it is for one, and
    whether the source only knows it."""

    key: str = ""
    gives: str = ""
    unread: bool = False


# What files have in common in their names, and their kind -> what one of them is, or why it is not read.
Looks: TypeAlias = dict[tuple[str, _Kind], InspectedFile | str]


def _listed(pattern: str, found: DraftFiles) -> list[InputFile]:
    """The new files of a pattern, by names that a recipe may have; a repository of git stands for what is in it."""
    relative = "://" not in pattern and not Path(pattern).is_absolute()
    repositories = [*_repositories(pattern)] if "://" not in pattern else []
    within = tuple(f"{_place(file.path)}/" for file in repositories)
    alone = within == (f"{_place(pattern)}/",)
    files = [] if alone else list_files(pattern)
    if any(file.path.endswith(".arrow") for file in files):
        files = data_files(files)
    files = repositories + [file for file in files if not (within and _place(file.path).startswith(within))]
    if relative:
        files = [replace(file, path=name_text(os.path.relpath(system_name(file.path)))) for file in files]
    found.every[pattern] = [file.path for file in files]
    new = [file for file in files if file.path not in found.known]
    found.known.update(found.every[pattern])
    return new


def _place(path: str) -> str:
    """A local path without steps up."""
    return os.path.abspath(system_name(path)) if "://" not in path else path  # noqa: PTH100  # links stay


def _repositories(pattern: str) -> Iterator[InputFile]:
    """Folders that a source knows, which are not in each other."""
    for folder, folders, _ in os.walk(_place(pattern)):
        for key, _ in recognised(file_start(name_text(folder)))[:1]:
            folders.clear()
            source: Any = catalog.find(READ, key)(paths=())
            yield from source.list_inputs(name_text(folder))
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]


def _kinds(paths: Sequence[str]) -> Mapping[str, _Kind]:
    """What each file is by its beginning."""
    alike: dict[str, list[str]] = {}
    for path in paths:
        alike.setdefault(_alike(path), []).append(path)
    kinds: dict[str, _Kind] = {}
    for same in alike.values():
        some = sorted(same, key=lambda path: crc32(path.encode()))[:LOOKED]  # of any order, but always the same
        looked = {path: _kind(path) for path in some}
        one = next(iter(looked.values()))
        differ = any(kind != one for kind in looked.values())
        kinds |= {path: looked.get(path) or (_kind(path) if differ else one) for path in same}
    return kinds


def _kind(path: str) -> _Kind:
    found = first_guess(path)
    return _Kind(found[0], found[1].gives, found[1].instead != "") if found else _Kind()


def _looked_at(
    pattern: str,
    files: Sequence[InputFile],
    kinds: Mapping[str, _Kind],
    options: Given,
    looks: Looks,
    left_out: dict[str, str],
) -> Iterator[DraftFile]:
    """Beside pages, the images and scripts of a site are taken with them, as the source of the pages passes them
    over, and empty files with those that are called alike."""
    page = next((file.path for file in files if PAGE.search(file.path)), "")
    likes = {file.path: page if page and OF_A_SITE.search(file.path) else file.path for file in files}
    for file in sorted(files, key=lambda file: not file.size):
        like = likes[file.path]
        kind = kinds[like]
        if not file.size:
            kind = next((one for name, one in looks if name == _alike(like)), kind)
        if (_alike(like), kind) not in looks:
            looks[_alike(like), kind] = _look(like, options)
        if not kind.gives:
            look = looks[_alike(like), kind]
            if isinstance(look, str):
                left_out[file.path] = look
            else:
                yield DraftFile(pattern, file, look)


def _look(path: str, options: Given) -> InspectedFile | str:
    """What a file is, or why it is not read. A source that needs what is not given is not asked."""
    try:
        look = inspected(path, None, options)
        return inspected(path, None, options, without=(look.source,)) if look.needs else look
    except InputError as error:
        return str(error)


def _alike(path: str) -> str:
    """What files have in common of which one is looked at: the folder, and of files that each are a document the end of
    their names, of others the name but for digits."""
    folder, _, name = path.rpartition("/")
    end = WHOLE.search(name)
    return f"{folder}/*{end[0].lower()}" if end else f"{folder}/{re.sub(r'[0-9]+', '0', name)}"


def covering(own: Sequence[DraftFile], found: DraftFiles) -> list[str]:
    """What names these files and no others: patterns as they were given, the highest folders, else each file."""
    mine = {file.file.path for file in own}
    counts = Counter(file.pattern for file in own)
    foreign = {
        pattern: {folder for path in found.every[pattern] if path not in mine for folder in _folders(path)}
        for pattern in counts
    }
    paths: dict[str, None] = {}
    for file in own:
        if counts[file.pattern] == len(found.every[file.pattern]):
            paths[file.pattern] = None
            continue
        inner = [folder for folder in _folders(file.file.path) if folder.startswith(f"{file.pattern.rstrip('/')}/")]
        free = [folder for folder in inner if folder not in foreign[file.pattern]]
        paths[free[-1] if free else file.file.path] = None
    return [*paths]


def _folders(path: str) -> list[str]:
    """Those around a file, the inmost first."""
    parts = path.split("/")
    return ["/".join(parts[:number]) for number in range(len(parts) - 1, 0, -1)]
