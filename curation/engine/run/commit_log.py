"""The driver's log of a step's commits: those that a resumed run finds, and those that finished units add."""

import time
from collections.abc import Iterable
from contextlib import nullcontext, suppress

from curation.core import storage
from curation.core.commits import COMMITS, GROUP_UNITS, Commit, group_name, group_path, read_group, write_group
from curation.core.errors import InputError

FLUSH_SECONDS = 1.0  # between two writes: so much work a killed driver loses
WRITING = 0.05  # at most this fraction of the time is spent on writing


class CommitLog:
    """A context for one step in a stage's folder; `commits` are those of finished units, by number.

    Opening it costs a listing, two requests per group (one opens its file, one reads), and a listing of each other
    folder in which the commits name files. A unit with a missing file, or one of another size, counts as not done.
    Files that no commit names are deleted, because a new file cannot be published where there is one.
    """

    def __init__(self, folder: str, step: str = COMMITS) -> None:
        self._folder = folder
        self._step = step
        self.commits: dict[int, Commit] = {}
        self._changed: set[int] = set()  # groups
        self._written = time.monotonic()
        self._took = 0.0

    def load(self) -> None:
        listed = storage.list_sizes(storage.join(self._folder, self._step))
        if not listed:
            storage.make_folder(storage.join(self._folder, self._step))
        known: list[Commit] = []
        for name, size in listed.items():
            group = group_of(name)
            if group is not None:
                try:
                    known += read_group(group_path(self._folder, group, self._step), size)
                except InputError:
                    self._changed.add(group)  # its units are done again
        sizes = self._sizes(known, listed)
        for commit in known:
            if all(sizes.get(name) == size for name, size in commit.files().items()):
                self.commits[commit.unit] = commit
        named = {name for commit in self.commits.values() for name in commit.files()}
        for name in sorted(sizes.keys() - named):
            if made_by_units(name):
                storage.delete_file(storage.join(self._folder, name))

    def _sizes(self, commits: Iterable[Commit], listed: dict[str, int]) -> dict[str, int]:
        """Bytes of each file in the folders in which units of the step write, by its path within the stage's folder;
        `listed` are those of the step's own folder."""
        inside = {name.rpartition("/")[0] for commit in commits for name in commit.files()}
        inside.add("" if self._step == COMMITS else self._step)
        sizes: dict[str, int] = {}
        for folder in inside:
            path = storage.join(self._folder, folder) if folder else self._folder
            own = listed if folder == self._step else storage.list_sizes(path)
            sizes |= {f"{folder}/{name}" if folder else name: size for name, size in own.items()}
        return sizes

    def add(self, commit: Commit) -> None:
        self.commits[commit.unit] = commit
        self._changed.add(commit.unit // GROUP_UNITS)
        if time.monotonic() - self._written >= max(FLUSH_SECONDS, self._took / WRITING):
            self.flush()

    def forget(self, units: Iterable[int]) -> None:
        """Makes the units count as not done, and writes that down."""
        for unit in units:
            if self.commits.pop(unit, None) is not None:
                self._changed.add(unit // GROUP_UNITS)
        self.flush()

    def flush(self) -> None:
        """Writes the groups that changed."""
        started = time.monotonic()
        by_group: dict[int, list[Commit]] = {group: [] for group in self._changed}
        for commit in self.commits.values():
            if commit.unit // GROUP_UNITS in by_group:
                by_group[commit.unit // GROUP_UNITS].append(commit)
        for group, commits in by_group.items():
            write_group(group_path(self._folder, group, self._step), commits)
        self._changed.clear()
        self._written = time.monotonic()
        self._took = time.monotonic() - started

    def __enter__(self) -> "CommitLog":
        self.load()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with suppress(OSError) if kind else nullcontext():  # a full disk is reported once, by what met it first
            self.flush()


def committed_units(folder: str, step: str = COMMITS) -> int:
    """How many units of a step have a commit that can be read."""
    count = 0
    for name in storage.list_names(storage.join(folder, step)):
        if group_of(name) is not None:
            with suppress(InputError):
                count += len(read_group(storage.join(folder, step, name)))
    return count


def group_of(name: str) -> int | None:
    """The number of the group whose commits a file of this name holds; None where it holds none."""
    digits = name.removeprefix("group-").removesuffix(".arrow")
    return int(digits) if digits.isdecimal() and name == group_name(int(digits)) else None


def made_by_units(name: str) -> bool:
    """True for files that units write in a stage's folder, not the driver."""
    folder, _, file = name.rpartition("/")
    if not folder:
        return file.startswith(("_partial.", "part-", "tokens-", "validation-"))
    written = group_of(file) is None and file.endswith((".parquet", ".arrow", ".bits"))
    return written or file.startswith("_partial.")
