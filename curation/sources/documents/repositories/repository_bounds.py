"""The bounds of what is read of a repository.

Few bytes can name many files: a tree that holds the same tree twice, which holds the same tree twice, and so on, names
2^n files of one content. All bounds are counts over the repository's own order, so the same commit gives the same
documents wherever and however often it is read.
"""

from curation.core.names import MAX_NAME

MAX_ENTRIES = 5_000_000  # files, folders, links and submodules of a repository
MAX_LISTING = 1 << 30  # bytes of their names and hashes
MAX_BYTES = 32 << 30  # of the files that are read
MAX_REPEATS = 100_000  # files that have the same content as one before
MAX_REPEATED_BYTES = 256 << 20  # in these


class FileBounds:
    """Counts the files of a repository that are to be read."""

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._repeats = 0
        self._repeated = 0
        self._bytes = 0

    def cause(self, content: int, size: int) -> str | None:
        """Why the next file is not read, "repeated" or "large_repository"; None if it is. `content` stands for what is
        in it: the same number, the same bytes. Empty files cost nothing and pass."""
        if not size:
            return None
        if content in self._seen:
            if self._repeats >= MAX_REPEATS or self._repeated + size > MAX_REPEATED_BYTES:
                return "repeated"
            self._repeats += 1
            self._repeated += size
        if self._bytes + size > MAX_BYTES:
            return "large_repository"
        self._seen.add(content)
        self._bytes += size
        return None


def path_cause(path: bytes) -> str | None:
    """Why a file is passed over for its path: "long_name" or "outside"; None if it is not."""
    if len(path) > MAX_NAME:
        return "long_name"
    return "outside" if path.startswith(b"/") or (b".." in path and b".." in path.split(b"/")) else None
