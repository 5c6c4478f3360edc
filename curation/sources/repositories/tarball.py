"""The files of a repository in a tar archive, as forges and package indexes serve them, compressed or not.

The archive is read as a stream, once for each call of `files`, and nothing is written. Members that are links, or whose
names lead outside of the archive, are counted and passed over. If all are in one folder, as in `git archive --prefix`,
that folder is no part of their paths. `git archive` writes the commit into the archive and gives files its date; in
other archives neither is known.
"""

import re
import tarfile
from collections.abc import Iterator
from contextlib import closing

from curation.core.protocols import ReadTally
from curation.sources.read_ahead import open_raw
from curation.sources.repositories.licence_files import MAX_BYTES, NearestLicences, may_license
from curation.sources.repositories.repository_file import RepositoryFile, Wanted
from curation.sources.tars import TAR_DAMAGE, BoundedTarInfo, is_tar, unpacked

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_ENDS = re.compile(r"\.(?:tar|tgz|tar\.\w+)$", re.IGNORECASE)


class Tarball:
    """A repository in an archive; see `repository_file.Repository`. `name` is the archive's without its ending."""

    def __init__(self, path: str, name: str) -> None:
        """Reads the archive once. Raises InputError if there is no such file."""
        self.path = path
        self.name = _ENDS.sub("", name)
        self.commit = ""
        self.moment: int | None = None
        self._within = ""
        folders: set[str] = set()

        def noted(path: str) -> bool:
            if len(folders) < 2:
                folders.add(path.partition("/")[0] + "/" if "/" in path else "")
            return may_license(path)

        self.licences = NearestLicences(self.files(noted, MAX_BYTES, ReadTally()))
        if len(folders) == 1:
            self.licences.within = self._within = folders.pop()

    def files(self, wanted: Wanted, most: int, tally: ReadTally) -> Iterator[RepositoryFile]:
        """In the archive's order."""
        with closing(open_raw(self.path)) as raw:
            stream = unpacked(raw, self.path, tally)
            if not is_tar(stream.peek(1)):
                if stream.peek(1):
                    tally.fault(self.path, 0, "no tar archive begins here")
                return
            try:
                with tarfile.open(fileobj=stream, mode="r|", tarinfo=BoundedTarInfo) as archive:
                    yield from self._members(archive, wanted, most, tally)
            except TAR_DAMAGE as error:
                tally.fault(self.path, 0, f"damaged tar archive: {error}")

    def _members(
        self, archive: tarfile.TarFile, wanted: Wanted, most: int, tally: ReadTally
    ) -> Iterator[RepositoryFile]:
        for member in archive:
            archive.members = []  # type: ignore[attr-defined]  # which it would keep
            path = member.name.removeprefix(self._within).encode("utf-8", "replace").decode()
            if member.isdir():
                continue
            if cause := _cause(member):
                tally.records[f"skipped.{cause}"] += 1
            elif wanted(path):
                self._note(archive, member)
                file = archive.extractfile(member) if member.size <= most else None
                content = file.read() if file else None
                if content is not None and len(content) < member.size:
                    raise tarfile.ReadError("it ends within a file")
                yield RepositoryFile(path, content)

    def _note(self, archive: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        comment = archive.pax_headers.get("comment", "")
        if not self.commit and _COMMIT.fullmatch(comment):
            self.commit = comment
            self.moment = int(member.mtime) * 1000 if 0 < member.mtime < 1 << 33 else None


def _cause(member: tarfile.TarInfo) -> str | None:
    """Why a member is passed over, whatever it is called."""
    if member.issym() or member.islnk():
        return "link"
    if not member.isreg():
        return "not_a_file"
    return "outside" if member.name.startswith("/") or ".." in member.name.split("/") else None
