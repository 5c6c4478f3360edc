"""The licence of a file: by the SPDX line in its head, else by the nearest licence file, in its folder or one above.

Sources: SPDX 2.3, annex E ("SPDX-License-Identifier"); GitHub's names of licence files. Texts of licences are told
apart by the library `licenseclassifier`. What several licence files of a folder say, or one file of several, is joined
with AND: that a choice is meant ("MIT or Apache-2.0") stands in prose that no one reads here.
"""

import hashlib
import re
from collections.abc import Iterable

from curation.sources.documents.repositories.file_language import language_of
from curation.sources.documents.repositories.passed_over import cause_by_name

HEAD = 4096  # bytes in which the SPDX line is looked for
MAX_BYTES = 1 << 16  # of a licence file; GPL 3.0 has 35,149
MAX_FILES = 2_000  # licence files of a repository
MAX_MEMO = 100_000  # texts whose licence is remembered

_ID = rb"\(*[A-Za-z0-9](?:[A-Za-z0-9.:-]*[A-Za-z0-9])?\+?\)*"
_SPDX = re.compile(
    rb"SPDX-License-Identifier:[ \t]{0,9}(" + _ID + rb"(?:[ \t]{1,9}(?:AND|OR|WITH)[ \t]{1,9}" + _ID + rb"){0,9})"
)
_NAME = re.compile(r"(?:(?:mit-|un)?licen[cs]e|copying)(?:[-_.][\w.-]*)?", re.IGNORECASE | re.ASCII)
_PROSE = (None, "Text only", "Markdown", "reStructuredText", "Groff")  # as a name says; Groff is also LICENSE-1.1
_known: dict[bytes, str | None] = {}  # of this process, by the hash of the text


def is_licence_file(path: str) -> bool:
    """Whether a file's name is that of a licence: LICENSE, COPYING.LESSER, licence.txt …, but not license.go."""
    name = path.rpartition("/")[2]
    return bool(_NAME.fullmatch(name)) and language_of(name, "") in _PROSE


def may_license(path: str) -> bool:
    """Whether this is a licence file of files that are read."""
    return is_licence_file(path) and cause_by_name(path) is None


def spdx_line(content: bytes) -> str | None:
    """The expression that a file's head states, without marks of comments; None if it states none."""
    match = _SPDX.search(content, 0, HEAD)
    return match[1].decode() if match else None


def licence_of_text(content: bytes) -> str | None:
    """The SPDX names of the licences whose texts these bytes are, joined with AND; None if they are of none."""
    from licenseclassifier import identify_license  # of an extra

    key = hashlib.blake2b(content, digest_size=16).digest()
    if key not in _known:
        if len(_known) >= MAX_MEMO:
            _known.clear()
        found = {match.id for match in identify_license(content.decode("utf-8", "replace"))}
        found -= {f"{name}-or-later" for name in found}  # of the notice that the text of a GPL tells to use
        _known[key] = " AND ".join(sorted(found)) or None
    return _known[key]


class NearestLicences:
    """The licences of a repository's folders. Of one with more than MAX_FILES licence files none is known (`many`)."""

    def __init__(self, files: Iterable[tuple[str, bytes | None]]) -> None:
        """`files` are paths and contents of the repository's licence files; one without content (too large) counts as
        unknown."""
        self.many = False
        self.within = ""  # what stands before all paths of these files, and not before those that are asked for
        self._by_folder: dict[str, str | None] = {}
        self._lengths: set[int] = set()  # of their names
        for number, (path, content) in enumerate(files):
            if number == MAX_FILES:
                self.many = True
                self._by_folder = {}
                return
            folder = path.rpartition("/")[0]
            found = (self._by_folder.get(folder), licence_of_text(content or b""))
            names = {name for licence in found if licence for name in licence.split(" AND ")}
            self._by_folder[folder] = " AND ".join(sorted(names)) or None
            self._lengths.add(len(folder))

    def of(self, path: str) -> str | None:
        """That of the nearest folder with a licence file, the file's own first; null where that file is of no licence
        which is known."""
        whole = self.within + path
        end = len(whole)
        while (end := whole.rfind("/", 0, end)) > 0:
            if end in self._lengths and whole[:end] in self._by_folder:
                return self._by_folder[whole[:end]]
        return self._by_folder.get("")
