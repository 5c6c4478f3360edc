"""A run's folder: its `run.json`, its sealed stages, and which stage reads which.

Opening it reads only `run.json`; a stage's manifest is read at its first use.
"""

import os
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from curation.account.sealed.sealed_stage import SealedShard, SealedStage, sealed_stage
from curation.core import storage
from curation.core.close_names import nearest
from curation.core.errors import InputError
from curation.core.manifest import ANEW, MANIFEST, RUN, RunRecord, read_run
from curation.core.run_lock import holder
from curation.core.shard_files import ShardFiles


@dataclass(frozen=True, eq=False)
class RunFolder:
    """A run's folder; `stages` are in the order of the run."""

    folder: str
    record: RunRecord
    stages: tuple[SealedStage, ...]

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Self:
        """Raises InputError if the folder is not a run, or not yet."""
        path = os.fspath(folder)
        try:
            record = read_run(path)
        except InputError as error:
            if holder(path)[1] and not storage.exists(storage.join(path, RUN)):
                raise InputError(f"nothing is known of {path} yet: its run is being planned; ask again soon") from error
            raise
        filed: dict[str, ShardFiles] = {}
        stages = tuple(SealedStage(storage.join(path, entry.folder), entry, filed=filed) for entry in record.stages)
        return cls(path, record, stages)

    @classmethod
    def open_with_earlier(cls, folder: str | os.PathLike[str]) -> Self:
        """Includes the sealed stages of earlier recipes; all stages are sorted by their folders' names. Raises
        InputError if the folder is not a run."""
        path = storage.real(os.fspath(folder))
        record = read_run(path)
        current = {entry.folder for entry in record.stages}
        names = storage.list_names(path)
        stages = (sealed_stage(storage.join(path, name), current=name in current) for name in names)
        return cls(path, record, tuple(stage for stage in stages if stage is not None))

    def stage(self, name: str) -> SealedStage:
        """The stage with this name or folder. Raises InputError with the nearest known name."""
        for stage in self.stages:
            if name in (stage.name, stage.entry.folder):
                return stage
        pending = "" if self.record.complete else "; it is not finished: winnow status tells how far it is"
        raise InputError(f"the run has no stage {name!r}{nearest(name, [one.name for one in self.stages])}{pending}")

    def shards_after(self, shard: SealedShard) -> list[tuple[SealedStage, int]]:
        """The stages that read a shard, with the shard's number in each. Raises InputError for a stage of documents
        that has fewer shards than it read."""
        found = [(later, first + shard.number) for later, first in self._readers.get(shard.stage.entry.address, ())]
        for later, number in found:
            if later.verb.maps_rows and number >= len(later.shards):
                raise InputError(f"{later.folder}/{MANIFEST} is damaged: it counts {len(later.shards)} shards; {ANEW}")
        return found

    def next_shard(self, shard: SealedShard) -> SealedShard | None:
        """The shard with a row for every row kept in this one; None after the last stage of documents."""
        following = (later.shards[number] for later, number in self.shards_after(shard) if later.verb.maps_rows)
        return next(following, None)

    def before(self, shard: SealedShard) -> SealedShard | None:
        """The shard that a shard's rows come from; None in a first stage, or if the upstream stage is gone."""
        number = shard.number
        for address in shard.stage.upstream:
            stage = self._by_address.get(address)
            if stage is None:
                return None
            if number < len(stage.shards):
                return stage.shards[number]
            number -= len(stage.shards)
        return None

    def has_upstream(self, stage: SealedStage) -> bool:
        """Whether all stages upstream of this one exist."""
        above = [self._by_address.get(address) for address in stage.upstream]
        return all(stage is not None and self.has_upstream(stage) for stage in above)

    @cached_property
    def _by_address(self) -> dict[str, SealedStage]:
        return {stage.entry.address: stage for stage in self.stages}

    @cached_property
    def _readers(self) -> dict[str, list[tuple[SealedStage, int]]]:
        """Address of a stage -> its readers, each with the reader's number for the first shard of the stage."""
        readers = defaultdict[str, list[tuple[SealedStage, int]]](list)
        for stage in self.stages:
            first = 0
            for address in stage.upstream:
                readers[address].append((stage, first))
                if address not in self._by_address:
                    break  # its number of shards is unknown
                first += len(self._by_address[address].shards)
        return readers
