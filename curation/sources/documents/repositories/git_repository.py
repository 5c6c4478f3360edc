"""The files of a git repository at one commit, read from its objects: a working folder is never looked at.

`git ls-tree` lists them and `git_contents` gives what is in them, both as streams, so memory hardly grows with the
number of files.
"""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from curation.core.errors import InputError
from curation.core.names import MAX_NAME, name_text, system_name
from curation.core.protocols import ReadTally
from curation.core.watchdog import advance
from curation.sources.dates import FIRST_SECOND, LAST_SECOND
from curation.sources.documents.repositories import repository_bounds
from curation.sources.documents.repositories.git_contents import REQUESTS, GitContents, Unreadable
from curation.sources.documents.repositories.git_folder import git_folder, head_hash, settings
from curation.sources.documents.repositories.git_objects import GitObjects, checked_objects
from curation.sources.documents.repositories.git_process import GitProcess, answer
from curation.sources.documents.repositories.licence_files import MAX_BYTES, NearestLicences, may_license
from curation.sources.documents.repositories.repository_bounds import FileBounds, path_cause
from curation.sources.documents.repositories.repository_file import RepositoryFile, Wanted

_SHA256 = 64  # digits of a hash that is not SHA-1's
_ENTRY = MAX_NAME + 128  # bytes of a path with its mode, kind and hash
_SHOWN = 200  # characters of a path in a message
_COMMITTER = re.compile(rb"^committer [^\n]*> (-?\d{1,15}) [+-]\d{4}$", re.MULTILINE)
_SCP = re.compile(r"(?:[\w.-]+@)?([\w.-]+):(?!/)(.+)")  # git@host:path


class _Commit(NamedTuple):
    """Its hash, and when it was made in ms since 1970."""

    hash: str
    moment: int | None


class _Blob(NamedTuple):
    path: str
    hash: str


class GitRepository:
    """A repository in a local folder; see `repository_file.Repository`. `commit` is the one to read, "" for HEAD's."""

    def __init__(self, path: str, name: str, commit: str) -> None:
        """Raises InputError if there is no repository at `path`, or git cannot read it."""
        folder = git_folder(Path(system_name(path)))
        if folder is None:
            raise InputError(f"no git repository in {path}; check `paths`")
        self._objects = checked_objects(folder)
        self.path = path
        self.commit, self.moment = _commit(self._objects, commit or head_hash(folder))
        self.name = _origin(folder, self._objects) or name.removesuffix(".git")
        self.licences = NearestLicences(self.files(may_license, MAX_BYTES, ReadTally()))

    def files(self, wanted: Wanted, most: int, tally: ReadTally) -> Iterator[RepositoryFile]:
        """In the order of git's trees. Raises InputError for a repository beyond `repository_bounds`."""
        if not self.commit:
            tally.records["skipped.no_commit"] += 1
            return
        listed = self._listed(wanted, tally)
        bounds = FileBounds()
        sha256 = len(self.commit) == _SHA256
        with GitContents(self._objects, sha256=sha256, longest=most) as contents:
            while blobs := list(islice(listed, REQUESTS)):
                yield from self._some(blobs, contents, bounds, most, tally)

    def _some(
        self, blobs: list[_Blob], contents: GitContents, bounds: FileBounds, most: int, tally: ReadTally
    ) -> Iterator[RepositoryFile]:
        """Those of up to REQUESTS files that are within the bounds."""
        distinct = list(dict.fromkeys(blob.hash for blob in blobs))
        known = dict(zip(distinct, contents.sizes(distinct), strict=True))
        sizes: dict[int, int] = {}  # of those to be read, by number
        for number, blob in enumerate(blobs):
            size = known[blob.hash]
            if size is None:
                self._note(blob, "missing_object", "is missing or damaged", tally)
            elif cause := bounds.cause(int(blob.hash[:15], 16), size if size <= most else 1):
                tally.records[f"skipped.{cause}"] += 1
            else:
                sizes[number] = size
        read = [number for number, size in sizes.items() if size <= most]
        found = contents.read([blobs[number].hash for number in read], [sizes[number] for number in read])
        for number, size in sizes.items():
            content = next(found) if size <= most else None
            if isinstance(content, Unreadable):
                self._note(blobs[number], "unreadable_object", f"cannot be read: {content.error}", tally)
            else:
                yield RepositoryFile(blobs[number].path, content)

    def _note(self, blob: _Blob, cause: str, words: str, tally: ReadTally) -> None:
        tally.records[f"skipped.{cause}"] += 1
        tally.fault(self.path, -1, f"the object {blob.hash} of {blob.path[:_SHOWN]} {words}")

    def _listed(self, wanted: Wanted, tally: ReadTally) -> Iterator[_Blob]:
        sha256 = len(self.commit) == _SHA256
        with GitProcess(
            self._objects, "ls-tree", "-r", "-t", "-z", "--full-tree", self.commit, sha256=sha256
        ) as listing:
            for number, entry in enumerate(self._entries(listing)):
                if number == repository_bounds.MAX_ENTRIES:
                    raise InputError(
                        f"{self.path} has more than {repository_bounds.MAX_ENTRIES:,} files and folders; leave it out"
                    )
                about, _, path = entry.partition(b"\t")
                mode, kind, name = about.split(b" ")
                if kind == b"tree":
                    continue
                if kind == b"commit":
                    tally.records["skipped.submodule"] += 1
                elif mode == b"120000":
                    tally.records["skipped.link"] += 1
                elif cause := path_cause(path):
                    tally.records[f"skipped.{cause}"] += 1
                elif wanted(text := name_text(path.decode("utf-8", "surrogateescape"))):
                    yield _Blob(text, name.decode("ascii"))
            if error := listing.error():
                tally.fault(self.path, -1, f"git cannot list all files: {error}")

    def _entries(self, listing: GitProcess) -> Iterator[bytes]:
        """Folders and what is in them, each with its mode, kind and hash; of too long a path only the beginning."""
        rest = b""
        size = 0
        while block := listing.stdout.read1(1 << 16):
            advance()
            size += len(block)
            if size > repository_bounds.MAX_LISTING:
                raise InputError(
                    f"the names in {self.path} have more than {repository_bounds.MAX_LISTING:,} bytes; leave it out"
                )
            *whole, rest = (rest + block).split(b"\0")
            yield from whole
            rest = rest[:_ENTRY]


def check_repository(path: str) -> None:
    """Raises InputError where git cannot read the commit or the settings of a repository at `path`."""
    folder = git_folder(Path(system_name(path)))
    if folder is not None:
        objects = checked_objects(folder)
        _commit(objects, head_hash(folder))
        _origin(folder, objects)


def _commit(objects: GitObjects, name: str) -> _Commit:
    """The commit with this hash, or that a tag with this hash names; of "" it is none. Raises InputError where git
    cannot read it."""
    if not name:
        return _Commit("", None)
    asked = f"{name}^{{commit}}\n".encode()
    said, error = answer(objects, "cat-file", "--batch", given=asked, sha256=len(name) == _SHA256)
    head, _, content = said.partition(b"\n")
    match head.split(b" "):
        case [found, b"commit", _] if not error:
            return _Commit(found.decode("ascii"), _moment(content.partition(b"\n\n")[0]))
    cause = error or f"the commit {name} is missing or damaged"
    raise InputError(f"git cannot read {objects.folder.parent}: {cause}; clone it anew, or leave it out")


def _moment(head: bytes) -> int | None:
    """When a commit with this head was made, in ms since 1970."""
    match = _COMMITTER.search(head)
    seconds = int(match[1]) if match else None
    return seconds * 1000 if seconds is not None and FIRST_SECOND <= seconds <= LAST_SECOND else None


def _origin(folder: Path, objects: GitObjects) -> str | None:
    """Where the repository was cloned from, as an https address without credentials; None if from no server. Raises
    InputError for settings that git cannot read."""
    asked = ("config", "--file", "-", "--no-includes", "--default", "", "--get", "remote.origin.url")
    said, error = answer(objects, *asked, given=settings(folder))
    if error:
        raise InputError(f"git cannot read {folder}/config: {error}; mend it, or leave this repository out")
    url = said.decode("utf-8", "replace").strip()
    scp = _SCP.fullmatch(url) if "://" not in url else None
    try:
        parts = urlsplit(f"ssh://{scp[1]}/{scp[2]}" if scp else url)
        host = parts.hostname if parts.scheme in ("https", "http", "ssh", "git") else None
    except ValueError:
        return None
    return f"https://{host}{parts.path.rstrip('/').removesuffix('.git')}" if host else None
