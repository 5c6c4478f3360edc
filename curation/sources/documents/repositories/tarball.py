"""The files of a repository in a tar archive, as forges and package indexes serve them, compressed or not.

The archive is read as a stream, once for each call of `files`, and nothing is written. Members that are links, or whose
names lead outside of the archive or are too long, are counted and passed over. If all are in one folder, as in
`git archive --prefix`, that folder is no part of their paths. `git archive` writes the commit into the archive and
gives files its date; in other archives neither is known.
"""

import re
from collections.abc import Iterator
from contextlib import closing

from curation.core.protocols import ReadTally
from curation.sources.documents.repositories import repository_bounds
from curation.sources.documents.repositories.licence_files import MAX_BYTES, NearestLicences, may_license
from curation.sources.documents.repositories.repository_file import RepositoryFile, Wanted
from curation.sources.read_ahead import open_raw
from curation.sources.tar_members import TarDamageError, TarMember, TarMembers, is_tar
from curation.sources.tars import unpacked

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
                yield from self._members(TarMembers(stream), wanted, most, tally)
            except TarDamageError as error:
                tally.fault(self.path, 0, f"damaged tar archive: {error}")

    def _members(self, archive: TarMembers, wanted: Wanted, most: int, tally: ReadTally) -> Iterator[RepositoryFile]:
        for number, member in enumerate(archive):
            if number == repository_bounds.MAX_ENTRIES:
                tally.fault(self.path, 0, f"more than {number:,} files and folders; the others were not read")
                return
            path = member.name.removeprefix(self._within)
            if member.kind == "folder":
                continue
            if cause := _cause(member):
                tally.records[f"skipped.{cause}"] += 1
            elif wanted(path):
                self._note(archive.comment, member.modified)
                content = archive.content.read() if member.size <= most else None
                if content is not None and len(content) < member.size:
                    raise TarDamageError("it ends within a file")
                yield RepositoryFile(path, content)

    def _note(self, comment: str, modified: float) -> None:
        if not self.commit and _COMMIT.fullmatch(comment):
            self.commit = comment
            self.moment = int(modified) * 1000 if 0 < modified < 1 << 33 else None


def _cause(member: TarMember) -> str | None:
    """Why a member is passed over, whatever it is called."""
    if member.kind != "file":
        return member.kind
    return repository_bounds.path_cause(member.name.encode())
