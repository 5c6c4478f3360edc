"""Where a dedup stage keeps its files, how its shards form blocks, how shards of earlier runs are numbered, and which
files go: those that nothing reads once the stage is done, or all that came of failed documents.

A *bucket* holds the keys of one prefix, of all shards. A *block* is a range of neighbouring shards: whatever is sent
back to documents goes to their block. The numbers of buckets and blocks follow from the sizes of what they hold, and
decide no verdict. The shards of an earlier run (`against`) are numbered after the stage's own, from `first` on, so that
their documents have engine ids too.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from curation.core import storage
from curation.core.commits import COMMITS, Commit, read_group, write_group
from curation.core.dedup_methods import DedupMethod, Methods
from curation.core.document import ROW_BITS
from curation.core.protocols import Ints
from curation.core.threads import map_threads
from curation.engine.run.commit_log import CommitLog
from curation.engine.run.context import Context
from curation.engine.run.routing import Router, sent_path
from curation.models.bloom import filter_folder
from curation.text.kernels.radix import order_by

Method = TypeVar("Method", bound=DedupMethod)

# the first are kept: an incremental run reads them again
KEYS = "_keys"
REFINED = "_refined"
GATHERED = "-gathered"  # after the name of a step's folder: what the exchange made of its files
COLLIDED = "_collided"
RECOLLIDED = "_recollided"
FETCHED = "_fetched"
VERIFIED = "_verified"
BLOCK_DOCUMENTS = 2_000_000  # at most, where shards are that small
FEW_BLOCKS = 64  # up to so many, a block is a single shard

KEY_SCHEMA = pa.schema(
    [
        ("key_hi", pa.uint64()),
        ("key_lo", pa.uint64()),
        ("doc", pa.int64()),  # the best-ranked document of the shard with this key
        ("rank", pa.uint32()),
        ("copies", pa.uint32()),  # documents of the shard with this key
        ("method", pa.uint8()),
    ]
)
ROW_BYTES = 33  # of a row of that in memory
WORKED_ON = 3  # times the bytes of a bucket's rows that its task holds
VECTORS_SCHEMA = KEY_SCHEMA.append(pa.field("vector", pa.list_(pa.float32())))
LINK_SCHEMA = pa.schema(
    [
        ("rank_a", pa.uint32()),
        ("doc_a", pa.int64()),
        ("rank_b", pa.uint32()),
        ("doc_b", pa.int64()),
        ("equal", pa.bool_()),  # the same by definition of the method, not only alike
        ("method", pa.uint8()),
    ]
)
REPEATED_SCHEMA = pa.schema(
    [
        ("doc", pa.int64()),  # of the shard that the row is sent to
        ("key_hi", pa.uint64()),
        ("key_lo", pa.uint64()),
        ("best", pa.int64()),  # the best-ranked document that has the key; -1: one of an earlier corpus
        ("method", pa.uint8()),
    ]
)

VERDICT_SCHEMA = pa.schema(
    [
        ("doc", pa.int64()),
        ("survivor", pa.int64()),  # itself where it survives
        ("cluster", pa.int64()),
        ("copies", pa.int64()),
        ("methods", pa.uint32()),  # bit n: the method of number n links it with another document
    ]
)


def methods_of(methods: Methods, kind: type[Method]) -> list[tuple[int, str, Method]]:
    """The methods of one kind, with their numbers in the stage and their keys."""
    return [(number, key, method) for number, (key, method) in enumerate(methods) if isinstance(method, kind)]


def key_schema(methods: Methods) -> pa.Schema:
    """The schema of the key files of a stage with these methods."""
    return VECTORS_SCHEMA if any(method.has_vectors for _, method in methods) else KEY_SCHEMA


@dataclass(frozen=True)
class Earlier:
    """A sealed dedup stage of an earlier run: its folder, this run's number of its first shard, and how many it has."""

    folder: str
    first: int
    shards: int
    methods: tuple[int, ...]  # this stage's number of each of its methods, -1 for one that this stage lacks
    vectors: bool = False  # whether its keys have vectors

    @property
    def schema(self) -> pa.Schema:
        return VECTORS_SCHEMA if self.vectors else KEY_SCHEMA


@dataclass(frozen=True)
class Layout:
    """A stage's folder, the numbers of its own shards, of blocks of all shards and of buckets, and the earlier stages
    that it is compared with."""

    folder: str
    shards: int
    blocks: int
    buckets: int = 1  # of this round; known once its keys are written
    earlier: tuple[Earlier, ...] = ()
    round: int = 1  # 2: methods that refine look again where the first round found something

    @property
    def keyed(self) -> str:
        return KEYS if self.round == 1 else REFINED

    @property
    def collided(self) -> str:
        return COLLIDED if self.round == 1 else RECOLLIDED

    @property
    def all_shards(self) -> int:
        return self.shards + sum(stage.shards for stage in self.earlier)

    def block_of(self, doc: Ints) -> Ints:
        """int64[N]: the block of each engine id."""
        return (doc >> ROW_BITS) * self.blocks // max(self.all_shards, 1)

    def shards_of(self, block: int) -> range:
        """Shards of a block, earlier ones included."""
        shards = np.arange(self.all_shards) * self.blocks // max(self.all_shards, 1)
        return range(*np.searchsorted(shards, [block, block + 1]).tolist())

    def place(self, shard: int) -> tuple[str, int]:
        """The folder of a shard, earlier ones included, and its number there."""
        for stage in self.earlier:
            if stage.first <= shard < stage.first + stage.shards:
                return stage.folder, shard - stage.first
        return self.folder, shard

    def signatures(self, shard: int, method: str) -> str:
        folder, own = self.place(shard)
        return sent_path(folder, KEYS, method, own)

    @property
    def bloom(self) -> str:
        """The folder of the filter that the stage makes of its keys."""
        return storage.join(self.folder, "bloom")

    def file(self, step: str, what: str, unit: int) -> str:
        return sent_path(self.folder, step, what, unit)


def blocks_for(shards: int, documents: int) -> int:
    """The number of blocks for so many shards and documents."""
    return min(shards, max(FEW_BLOCKS, -(-documents // BLOCK_DOCUMENTS)))


def is_passing(name: str) -> bool:
    """True for a step's folder that nothing reads once the stage is done: all but the commits and the keys."""
    return name.startswith("_") and "." not in name and name not in (COMMITS, KEYS, KEYS + GATHERED)


@dataclass(frozen=True)
class ByBlock(Router):
    """Rows go to the block of the document in one of their columns."""

    layout: Layout
    column: str = "doc"
    receivers: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "receivers", self.layout.blocks)

    def of(self, table: pa.Table) -> Ints:
        return self.layout.block_of(np.asarray(table[self.column]))


def distinct(links: pa.Table) -> pa.Table:
    """Each pair of documents once, sorted; the first of equal pairs. Several keys of a method may give the same
    pair."""
    a = np.asarray(links["doc_a"])
    b = np.asarray(links["doc_b"])
    order = order_by(a, b)
    a = a[order]
    b = b[order]
    fresh = np.ones(len(a), bool)
    fresh[1:] = (a[1:] != a[:-1]) | (b[1:] != b[:-1])
    return links.take(pa.array(order[fresh]))


def tidy_dedup(folder: str, figures: Mapping[str, Any]) -> None:
    """Deletes what nothing reads once the stage is done."""
    if figures["exchange"]["key_step"] != KEYS:  # they were gathered in other files
        _drop_key_files(folder)
    for name in storage.list_names(folder):
        if is_passing(name):
            storage.delete_folder(storage.join(folder, name))


def _drop_key_files(folder: str) -> None:
    """Removes the shards' own key files, which were gathered in others, from their commits, then deletes them."""
    names = [name for name in storage.list_names(storage.join(folder, KEYS)) if name.startswith("keys-")]
    gone = {f"{KEYS}/{name}" for name in names}
    for group in storage.list_names(storage.join(folder, KEYS)):
        if group.startswith("group-"):
            path = storage.join(folder, KEYS, group)
            write_group(path, [_without_files(commit, gone) for commit in read_group(path)])
    map_threads(lambda name: storage.delete_file(storage.join(folder, KEYS, name)), names)


def _without_files(commit: Commit, gone: set[str]) -> Commit:
    files = {name: facts for name, facts in commit.extra["files"].items() if name not in gone}
    return dataclasses.replace(commit, extra={**commit.extra, "files": files})


def forget_dedup(context: Context) -> None:
    """Deletes the keys of shards with documents that a method failed on, and all that may have been made from them. A
    crash on the way leaves nothing that a resumed run would take for done. The caller deletes the commits of attach."""
    for name in storage.list_names(context.folder):
        if is_passing(name) or name == KEYS + GATHERED:
            storage.delete_folder(storage.join(context.folder, name))
    storage.delete_file(storage.join(context.folder, "bloom", filter_folder.MANIFEST))
    with CommitLog(context.folder, KEYS) as keys:
        keys.forget([commit.unit for commit in keys.commits.values() if commit.extra["errors"]])
