"""Every sealed stage in a run's folder, and where the rows of documents are in each of them.

Stages that an earlier recipe made and that the run has no more of are among them: their files hold documents as well.
The kept rows of a shard, in order, are the rows of the shards that stages after it make of it; so rows are followed
down, and back up, by one narrow column of each shard on their way.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.account.run.rows import kept_rows
from curation.core import storage
from curation.core.manifest import MANIFEST, Manifest, Run, read_manifest, read_run
from curation.core.parquet_file import open_parquet
from curation.core.threads import at_once

Ints = npt.NDArray[np.int64]
Rows = dict[tuple[int, int], Ints]  # (number of the stage, shard) -> rows there, ascending


@dataclass(frozen=True)
class Stage:
    """A sealed stage: its folder, its manifest, and whether the run still has it."""

    folder: str
    manifest: Manifest
    current: bool

    @property
    def name(self) -> str:
        return self.folder.rpartition("/")[2]

    @property
    def upstream(self) -> list[str]:
        found: list[str] = self.manifest.address_parts["upstream"]
        return found

    def part(self, shard: int) -> str:
        """A shard's Parquet file."""
        return storage.join(self.folder, self.manifest.parts[shard].file)


class Branches:
    """The stages, in the order of their numbers, each with what it reads and what reads it."""

    def __init__(self, folder: str) -> None:
        self.folder = storage.real(folder)
        self.run: Run = read_run(self.folder)
        current = {entry.folder for entry in self.run.stages}
        found = []
        for name in storage.list_names(self.folder):
            path = storage.join(self.folder, name)
            manifest = read_manifest(path) if storage.exists(storage.join(path, MANIFEST)) else None
            if manifest is not None:
                found.append(Stage(path, manifest, name in current))
        self.stages: tuple[Stage, ...] = tuple(found)
        self._number = {stage.manifest.address: number for number, stage in enumerate(self.stages)}

    def reading(self) -> list[int]:
        """The stages that rows begin in."""
        return [number for number, stage in enumerate(self.stages) if stage.manifest.verb.begins]

    def after(self, number: int) -> list[tuple[int, int]]:
        """Stages that read this one's rows, each with the number there of this one's first shard."""
        address = self.stages[number].manifest.address
        found = []
        for later, stage in enumerate(self.stages):
            if address in stage.upstream:
                before = stage.upstream[: stage.upstream.index(address)]
                if all(one in self._number for one in before):
                    found.append((later, sum(self._shards(one) for one in before)))
        return found

    def before(self, number: int, shard: int) -> tuple[int, int] | None:
        """The stage, and its shard, that a shard's rows come from; None for a stage that reads inputs."""
        for address in self.stages[number].upstream:
            if address not in self._number:
                return None
            if shard < self._shards(address):
                return self._number[address], shard
            shard -= self._shards(address)
        return None

    def adrift(self) -> list[Stage]:
        """Stages with documents or tokens that come from a stage which is no longer there: nothing leads to them."""
        return [
            stage
            for number, stage in enumerate(self.stages)
            if (stage.manifest.verb.documents or stage.manifest.verb.packs) and not self._whole(number)
        ]

    def spread(self, first: Mapping[tuple[int, int], Ints]) -> Rows:
        """Rows of reading stages, and the same documents' rows in every stage with rows that they reach. A stage that
        packs has them under its number and shard too: there they are the rows of the stage that it reads."""
        found: Rows = {}
        waiting: Rows = dict(first)
        while waiting:
            found |= waiting
            reached = at_once(lambda one: self._reached(*one), waiting.items())
            waiting = {}
            for place, rows in (one for several in reached for one in several):
                verb = self.stages[place[0]].manifest.verb
                if verb.documents:
                    waiting[place] = rows
                elif verb.packs or verb.learns:
                    found[place] = rows
        return found

    def _reached(self, place: tuple[int, int], rows: Ints) -> list[tuple[tuple[int, int], Ints]]:
        """The rows' documents in the stages right after: in one that packs or fits, rows of the stage that it reads."""
        number, shard = place
        following = self.after(number)
        if not following:
            return []
        kept = self.kept(number, shard)
        arriving = rows[kept[rows]]
        if not len(arriving):
            return []
        there = np.cumsum(kept)[arriving] - 1
        return [
            ((later, shard + offset), there if self.stages[later].manifest.verb.documents else arriving)
            for later, offset in following
        ]

    def origin(self, number: int, shard: int, rows: Ints) -> tuple[tuple[int, int], Ints] | None:
        """The reading stage's shard, and rows there, of rows of a stage; None where the way back is broken."""
        while (above := self.before(number, shard)) is not None:
            number, shard = above
            rows = np.flatnonzero(self.kept(number, shard))[rows]
        return ((number, shard), rows) if self.stages[number].manifest.verb.begins else None

    def kept(self, number: int, shard: int) -> npt.NDArray[np.bool_]:
        """bool[N]: the shard's rows without a drop reason."""
        return kept_rows(self.stages[number].folder, self.stages[number].manifest, shard)

    def column(self, number: int, shard: int, name: str, rows: Ints) -> pa.ChunkedArray:
        """One column of some rows (ascending); reads the row groups in which they are."""
        with open_parquet(self.stages[number].part(shard)) as file:
            sizes = [file.metadata.row_group(group).num_rows for group in range(file.metadata.num_row_groups)]
            starts = np.cumsum([0, *sizes])
            groups = np.unique(np.searchsorted(starts, rows, side="right") - 1).tolist()
            held = np.concatenate([[0], *(np.arange(starts[one], starts[one + 1]) for one in groups)])[1:]
            if not groups:
                return pa.chunked_array([], file.schema_arrow.field(name).type)
            return file.read_row_groups(groups, columns=[name])[name].take(pa.array(np.searchsorted(held, rows)))

    def _shards(self, address: str) -> int:
        return len(self.stages[self._number[address]].manifest.parts)

    def _whole(self, number: int) -> bool:
        upstream = self.stages[number].upstream
        return all(one in self._number and self._whole(self._number[one]) for one in upstream)


def merged(*several: Mapping[tuple[int, int], Ints]) -> Rows:
    """All rows of all of them, each once."""
    places = dict.fromkeys(place for one in several for place in one)
    return {place: np.unique(np.concatenate([one[place] for one in several if place in one])) for place in places}


def count(rows: Mapping[tuple[int, int], Ints], numbers: Iterable[int]) -> int:
    """Rows in some of the stages."""
    own = set(numbers)
    return sum(len(found) for (number, _), found in rows.items() if number in own)
