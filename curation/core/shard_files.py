"""Finds the part files of a shard of a sealed stage: that of the stage itself, then that of each stage before it.

A stage names the stages that it reads by address. Their folders lie in the same run and end in the first digits of the
address. The shards of the first of these stages are numbered first, then those of the second, so a shard's file is
found by arithmetic.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from curation.core import storage
from curation.core.composed import Files
from curation.core.manifest import Manifest, read_manifest


@dataclass(frozen=True)
class ShardFiles:
    """A sealed stage of documents, and the stages before it, which are looked up on first use."""

    folder: str
    manifest: Manifest
    known: "dict[str, ShardFiles]" = field(default_factory=dict, compare=False, repr=False)  # stages by address

    @cached_property
    def above(self) -> "tuple[ShardFiles, ...]":
        """The stages that this one reads, in order; none where one of them is gone."""
        addresses: list[str] = self.manifest.address_parts["upstream"]
        if not addresses:
            return ()
        home = self.folder.rstrip("/").rpartition("/")[0]
        names = [] if all(address in self.known for address in addresses) else storage.list_names(home)
        for address in addresses:
            folders = [storage.join(home, name) for name in names if name.endswith(f"-{address[:8]}")]
            manifest = read_manifest(folders[0]) if folders and address not in self.known else None
            if manifest is not None:
                self.known[address] = ShardFiles(folders[0], manifest, self.known)
        stages = tuple(self.known[address] for address in addresses if address in self.known)
        return stages if len(stages) == len(addresses) else ()

    def files(self, shard: int) -> Files:
        """The files of one shard. Reads only the groups of commits that name them."""
        return (storage.join(self.folder, self.manifest.shards[shard].file), *self.before(shard))

    def before(self, shard: int) -> Files:
        """The files of a shard that the stage reads; none in a first stage, or where a stage before is gone."""
        for stage in self.above:
            if shard < len(stage.manifest.shards):
                return stage.files(shard)
            shard -= len(stage.manifest.shards)
        return ()

    @property
    def depth(self) -> int:
        """Stages on the longest way to this one."""
        return 1 + max((stage.depth for stage in self.above), default=0)

    def all_files(self) -> list[Files]:
        """The files of every shard."""
        return self.with_names(self.manifest.shards.files)

    def with_names(self, names: Sequence[str]) -> list[Files]:
        """The files of every shard, with these names for the files of this stage."""
        before = all_files(self.above) or [()] * len(names)
        return [(storage.join(self.folder, name), *rest) for name, rest in zip(names, before, strict=True)]


def all_files(stages: Iterable[ShardFiles]) -> list[Files]:
    """The files of every shard of several stages, in order: the shards of a stage that reads them all."""
    return [files for stage in stages for files in stage.all_files()]
