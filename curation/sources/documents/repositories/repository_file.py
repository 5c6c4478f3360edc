"""What both forms of a repository, git's and the tar archive, say of it and of each of its files."""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol, TypeAlias

from curation.core.protocols import ReadTally
from curation.sources.documents.repositories.licence_files import NearestLicences

Wanted: TypeAlias = Callable[[str], bool]  # whether the file with this path is to be read


class RepositoryFile(NamedTuple):
    """`path` is relative to the repository; `content` is None if it has more bytes than asked for."""

    path: str
    content: bytes | None


class Repository(Protocol):
    """A repository at one commit. `name` is where it comes from; `commit` its hash, "" if not known; `moment` the
    commit's date in ms since 1970; `licences` those of its folders. Those of an archive are known with a file."""

    name: str
    commit: str
    moment: int | None
    licences: NearestLicences

    def files(self, wanted: Wanted, most: int, tally: ReadTally) -> Iterator[RepositoryFile]:
        """The files that are wanted, in the repository's order, with up to `most` bytes of content each. What is no
        file (links, submodules) is counted as `skipped.*`. May be called more than once."""
        raise NotImplementedError
