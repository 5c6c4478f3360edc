"""A sealed stage's table of shards: totals at hand, and each shard's part file on request."""

from bisect import bisect
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Annotated, Any, Self

import numpy as np
import pyarrow as pa

from curation.core.commits import GROUP_UNITS, Commit, Part, group_path, read_group, read_parts
from curation.core.errors import InputError
from curation.core.input_rows import rows_by_file
from curation.core.shapes import As, Count
from curation.core.stage_shapes import Fault, LostUnit, UnreadRows
from curation.core.threads import map_threads

LISTED_FAULTS = 1000  # in a manifest; all are in the commits
SUMMED = ("rows", "kept", "file_bytes", "text_bytes", "kept_text_bytes", "tokens")  # numeric fields of `Part`


@dataclass(frozen=True)
class ShardTable:
    """The totals of a stage's commits, and access to each commit.

    `totals` by source: `parts` (the numeric fields of `Part`), `dropped`, `fired`, `counts`, `parsers`, each by key.
    """

    units: Count
    groups: tuple[Count, ...]  # part files of each group of units
    totals: dict[str, dict[str, dict[str, Count]]]
    faults: Annotated[tuple[dict[str, Any], ...], As(tuple[Fault, ...])] = ()  # the first LISTED_FAULTS …
    fault_count: Count = 0  # … of so many
    lost: Annotated[tuple[dict[str, Any], ...], As(tuple[LostUnit, ...])] = ()  # units that it was sealed without
    folder: str = field(default="", compare=False)  # not written
    # files with rows that could not be read, the first …
    unread: Annotated[tuple[dict[str, Any], ...], As(tuple[UnreadRows, ...])] = ()
    unread_files: Count = 0  # … LISTED_FAULTS of so many

    @classmethod
    def of(cls, commits: Iterable[Commit], folder: str = "", source: str = "") -> Self:
        """The table of these commits, in unit order; those without part files count for `source`."""
        commits = tuple(commits)
        totals: dict[str, dict[str, Counter[str]]] = {}
        groups = [0] * -(-len(commits) // GROUP_UNITS)
        for place, commit in enumerate(commits):
            groups[place // GROUP_UNITS] += len(commit.parts)
            own = totals.setdefault(commit.parts[0].source if commit.parts else source, {})
            more = {"fired": commit.fired, "counts": commit.counts, "parsers": commit.extra.get("parsers", {})}
            for name, counts in more.items():
                own.setdefault(name, Counter()).update(counts)
            for part in commit.parts:  # a block of shards may be of several sources
                own = totals.setdefault(part.source, {})
                own.setdefault("parts", Counter()).update({name: getattr(part, name) for name in SUMMED})
                own.setdefault("dropped", Counter()).update(part.dropped)
        plain = {
            name: {kind: dict(sorted(counts.items())) for kind, counts in own.items()} for name, own in totals.items()
        }
        faults = [fault for commit in commits for fault in commit.faults]
        unlisted = sum(commit.counts.get("faults.unlisted", 0) for commit in commits)
        lost = tuple(commit.extra["lost"] for commit in commits if "lost" in commit.extra)
        parts = (part for commit in commits for part in commit.extra.get("inputs", ()))
        unread = [rows.plain() for rows in rows_by_file(parts) if rows.failed]
        table = cls(
            units=len(commits),
            groups=tuple(groups),
            totals=plain,
            faults=tuple(faults[:LISTED_FAULTS]),
            fault_count=len(faults) + unlisted,
            unread=tuple(unread[:LISTED_FAULTS]),
            unread_files=len(unread),
            lost=lost,
            folder=folder,
        )
        table.__dict__["commits"] = commits  # known already
        return table

    def __len__(self) -> int:
        return sum(self.groups)

    def __getitem__(self, shard: int) -> Part:
        """One part file; reads the parts of its group."""
        if "parts" in self.__dict__:
            return self.parts[shard]
        group = bisect(self._first, shard) - 1
        row = self._parts_of(group)[shard - self._first[group]].as_py()
        return Part(**{**row, "dropped": dict(row["dropped"])})

    @cached_property
    def commits(self) -> tuple[Commit, ...]:
        groups = map_threads(self._commits_of, range(len(self.groups)))
        return tuple(commit for group in groups for commit in group)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        return tuple(part for commit in self.commits for part in commit.parts)

    @property
    def brief(self) -> list[Part]:
        """All part files in shard order, without their reasons; not cached, so that many stages can be scanned."""
        return [Part(**row) for parts in self._part_columns() for row in _without_reasons(parts).to_pylist()]

    @cached_property
    def filled(self) -> list[int]:
        """The numbers of the part files that have rows, in ascending order."""
        rows = pa.chunked_array([parts.field("rows") for parts in self._part_columns()], pa.int64())
        return np.flatnonzero(rows).tolist()

    @property
    def files(self) -> list[str]:
        """The names of all part files in shard order."""
        return [name for parts in self._part_columns() for name in parts.field("file").to_pylist()]

    def _part_columns(self) -> list[pa.StructArray]:
        return map_threads(self._part_column, range(len(self.groups)))

    def _commits_of(self, group: int) -> tuple[Commit, ...]:
        uri = group_path(self.folder, group)
        commits = read_group(uri)
        self._check_count(group, uri, sum(len(commit.parts) for commit in commits))
        return commits

    def _part_column(self, group: int) -> pa.StructArray:
        uri = group_path(self.folder, group)
        _, parts = read_parts(uri)
        self._check_count(group, uri, len(parts))
        return parts

    def _check_count(self, group: int, uri: str, parts: int) -> None:
        """Raises InputError if a group has other part files than the table counts."""
        if parts != self.groups[group]:
            raise InputError(
                f"{uri} has {parts:,} part files, and the manifest of its stage counts {self.groups[group]:,}; delete "
                "the stage's folder and curate again"
            )

    def _parts_of(self, group: int) -> pa.StructArray:
        if group not in self._read:
            self._read[group] = self._part_column(group)
        return self._read[group]

    @cached_property
    def _read(self) -> dict[int, pa.StructArray]:
        """The groups that were read for single shards."""
        return {}

    @cached_property
    def _first(self) -> list[int]:
        """The number of each group's first shard."""
        return list(accumulate(self.groups, initial=0))[:-1] or [0]


def _without_reasons(parts: pa.StructArray) -> pa.StructArray:
    names = [field.name for field in parts.type if field.name != "dropped"]
    return pa.StructArray.from_arrays([parts.field(name) for name in names], names)
