"""The files of a git repository at one commit, read from its objects: a working folder is never looked at.

`git ls-tree` lists them and `git cat-file --batch-command` (git 2.36 or newer) gives their contents, both as streams,
so memory does not grow with the number of files.
"""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from curation.core.errors import InputError
from curation.core.protocols import ReadTally
from curation.sources.dates import FIRST_SECOND, LAST_SECOND
from curation.sources.repositories.git_process import GitProcess, answer, git_folder, refuse_borrowed
from curation.sources.repositories.licence_files import MAX_BYTES, NearestLicences, may_license
from curation.sources.repositories.repository_file import RepositoryFile, Wanted

MAX_FILES = 5_000_000  # of a repository: trees that hold the same tree many times can name any number
MAX_ENTRY = 1 << 16  # bytes of a path with its mode, hash and size
REQUESTS = 256  # that fit into a pipe, so that git's answers may wait while they are written

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_COMMITTER = re.compile(r"^committer [^\n]*> (-?\d{1,15}) [+-]\d{4}$", re.MULTILINE)
_SCP = re.compile(r"(?:[\w.-]+@)?([\w.-]+):(?!/)(.+)")  # git@host:path


class _Blob(NamedTuple):
    path: str
    hash: str
    size: int


class GitRepository:
    """A repository in a local folder; see `repository_file.Repository`. `commit` is the one to read, "" for HEAD's."""

    def __init__(self, path: str, name: str, commit: str) -> None:
        """Raises InputError if there is no repository at `path`, or git cannot read it."""
        folder = git_folder(Path(path))
        if folder is None:
            raise InputError(f"no git repository in {path}; check `paths`")
        refuse_borrowed(folder)
        self._folder = folder
        self.path = path
        self.commit = commit or head_commit(path)
        self.name = _origin(folder) or name.removesuffix(".git")
        self.moment = _moment(folder, self.commit) if self.commit else None
        self.licences = NearestLicences(self.files(may_license, MAX_BYTES, ReadTally()))

    def files(self, wanted: Wanted, most: int, tally: ReadTally) -> Iterator[RepositoryFile]:
        """In the order of git's trees. Raises InputError for more than MAX_FILES files."""
        if not self.commit:
            tally.records["skipped.no_commit"] += 1
            return
        listed = self._listed(wanted, tally)
        with GitProcess(self._folder, "cat-file", "--batch-command", "--buffer") as contents:
            while blobs := list(islice(listed, REQUESTS)):
                asked = "".join(f"contents {blob.hash}\n" for blob in blobs if blob.size <= most)
                self._ask(contents, f"{asked}flush\n")
                for blob in blobs:
                    if blob.size > most:
                        yield RepositoryFile(blob.path, None)
                    elif (content := self._content(contents, blob, tally)) is not None:
                        yield RepositoryFile(blob.path, content)

    def _ask(self, contents: GitProcess, requests: str) -> None:
        try:
            contents.stdin.write(requests.encode())
            contents.stdin.flush()
        except BrokenPipeError as error:
            raise InputError(f"git cannot read {self.path}: {contents.error()}") from error

    def _content(self, contents: GitProcess, blob: _Blob, tally: ReadTally) -> bytes | None:
        head = contents.stdout.readline(MAX_ENTRY).split()
        if len(head) == 3 and head[1] == b"blob" and int(head[2]) == blob.size:
            content = contents.stdout.read(blob.size)
            if contents.stdout.read(1) == b"\n":
                return content
        if len(head) != 2:  # not "<hash> missing"
            raise InputError(f"git cannot read {self.path}: {contents.error() or 'an object has another size'}")
        tally.records["skipped.missing_object"] += 1
        tally.fault(self.path, -1, f"the object {blob.hash} of {blob.path} is missing")
        return None

    def _listed(self, wanted: Wanted, tally: ReadTally) -> Iterator[_Blob]:
        with GitProcess(self._folder, "ls-tree", "-r", "-l", "-z", "--full-tree", self.commit) as listing:
            for number, entry in enumerate(self._entries(listing)):
                if number == MAX_FILES:
                    raise InputError(f"{self.path} has more than {MAX_FILES:,} files; leave it out")
                about, _, path = entry.partition(b"\t")
                mode, kind, name, size = about.decode("ascii").split()
                if kind != "blob":
                    tally.records["skipped.submodule"] += 1
                elif mode == "120000":
                    tally.records["skipped.link"] += 1
                elif wanted(text := path.decode("utf-8", "replace")):
                    yield _Blob(text, name, int(size) if size.isdigit() else 0)
            if error := listing.error():
                tally.fault(self.path, -1, f"git cannot list all files: {error}")

    def _entries(self, listing: GitProcess) -> Iterator[bytes]:
        rest = b""
        while block := listing.stdout.read1(1 << 16):  # type: ignore[attr-defined]  # a BufferedReader
            *whole, rest = (rest + block).split(b"\0")
            yield from whole
            if len(rest) > MAX_ENTRY:
                raise InputError(f"{self.path} has a path of more than {MAX_ENTRY:,} bytes; leave it out")


def head_commit(path: str) -> str:
    """The hash of the commit that HEAD names; "" if there is none yet. Raises InputError where git cannot read it."""
    folder = git_folder(Path(path))
    if folder is None:
        return ""
    refuse_borrowed(folder)
    said = answer(folder, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    return said.strip() if said and _COMMIT.fullmatch(said.strip()) else ""


def _moment(folder: Path, commit: str) -> int | None:
    """When the commit was made, in ms since 1970."""
    said = answer(folder, "cat-file", "commit", commit) or ""
    match = _COMMITTER.search(said.partition("\n\n")[0])
    seconds = int(match[1]) if match else None
    return seconds * 1000 if seconds is not None and FIRST_SECOND <= seconds <= LAST_SECOND else None


def _origin(folder: Path) -> str | None:
    """Where the repository was cloned from, as an https address without credentials; None if from no server."""
    url = (answer(folder, "config", "--local", "--no-includes", "--get", "remote.origin.url") or "").strip()
    scp = _SCP.fullmatch(url) if "://" not in url else None
    try:
        parts = urlsplit(f"ssh://{scp[1]}/{scp[2]}" if scp else url)
        host = parts.hostname if parts.scheme in ("https", "http", "ssh", "git") else None
    except ValueError:
        return None
    return f"https://{host}{parts.path.rstrip('/').removesuffix('.git')}" if host else None
