"""Steps of the pre-pass, which counts keys before any is written; see `curation/engine/dedup/sketches.py`."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

from curation.core import storage
from curation.core.document import bucket_of
from curation.engine.dedup.collide import earlier_keys
from curation.engine.dedup.keys import KeysStep, done
from curation.engine.dedup.layout import SKETCH, SKETCHES, Layout
from curation.engine.dedup.sketches import counts, sketch_path, sketched_keys
from curation.engine.run.execution import FileWork, Unit
from curation.engine.run.part_files import read_part
from curation.models.bloom.two_bit_sketch import TwoBitSketch

CELLS = 8  # of two bits, per key: one in twenty of the keys that occur once is taken for repeated


@dataclass(frozen=True, kw_only=True)
class Prepass:
    """The recipe's `prepass`: how large the sketches are."""

    expected_keys: int  # different ones, over all methods and shards; more only make it less sparing
    groups: int = 4  # of shards, each counted by one task
    max_mb: int = 4096  # of 10^6 bytes, that all sketches together may take

    def __post_init__(self) -> None:
        if self.expected_keys < 1 or self.groups < 1:
            raise ValueError(f"prepass needs expected_keys and groups of at least 1, got {self}")

    def empty(self, buckets: int) -> TwoBitSketch:
        """The sketch of one bucket. Raises ValueError where all of them would be too large for a task."""
        if self.total_bytes(buckets) > self.max_mb * 10**6:
            raise ValueError(
                f"sketches of {self.expected_keys:,} keys take {self.total_bytes(buckets) / 1e6:,.0f} MB in each task, "
                f"more than max_mb: {self.max_mb}; raise that, or do without a prepass"
            )
        return TwoBitSketch.sized(-(-self.expected_keys // buckets), CELLS, buckets=buckets)

    def total_bytes(self, buckets: int) -> int:
        """Of all buckets' sketches together."""
        return buckets * (64 + -(-self.expected_keys // buckets) * CELLS // 4)


@dataclass(frozen=True)
class SketchStep(FileWork):
    """A group's keys, counted; its unit's payload are the shards with their files. `keys` makes the keys."""

    keys: KeysStep
    prepass: Prepass

    def read(self, unit: Unit) -> Iterator[pa.Table]:
        layout, shards = self.keys.layout, list(unit.payload)
        sketches = [self.prepass.empty(layout.buckets) for _ in range(layout.buckets)]
        for shard, path in shards:
            if shard < layout.shards:
                self._count(self.keys.keys_of(shard, read_part(path, columns=self.keys.columns)).keys, sketches)
            else:
                for bucket in range(layout.buckets):
                    self._count(earlier_keys(layout, self.keys.methods, shard, bucket), sketches)
        for bucket, sketch in enumerate(sketches):
            storage.write_bytes(group_path(layout, unit.number, bucket), sketch.to_bytes())
        return iter(())

    def work(self, unit: int, started: float) -> None:
        layout = self.keys.layout
        files = [group_path(layout, unit, bucket) for bucket in range(layout.buckets)]
        done(layout.folder, SKETCHES, unit, files, started)

    def _count(self, keys: pa.Table, sketches: list[TwoBitSketch]) -> None:
        methods = self.keys.methods
        counted = [number for number, (_, method) in enumerate(methods) if counts(method)]
        keys = keys.filter(pa.array(np.isin(np.asarray(keys["method"]), counted)))
        hi, lo = sketched_keys(keys)
        order = np.argsort(hi)
        hi, lo = hi[order], lo[order]  # buckets are ranges of hi
        bounds = np.searchsorted(bucket_of(hi, len(sketches)), np.arange(len(sketches) + 1))
        for sketch, (start, stop) in zip(sketches, pairwise(bounds), strict=True):
            sketch.add(hi[start:stop], lo[start:stop])


@dataclass(frozen=True)
class MergeStep(FileWork):
    """One bucket's sketches of all groups, added up."""

    layout: Layout
    groups: int

    def work(self, unit: int, started: float) -> None:
        first = storage.read_bytes(group_path(self.layout, 0, unit))
        merged = TwoBitSketch.from_bytes(memoryview(bytearray(first)))
        for group in range(1, self.groups):
            merged.merge(TwoBitSketch.from_bytes(storage.read_bytes(group_path(self.layout, group, unit))))
        path = sketch_path(self.layout, unit)
        storage.write_bytes(path, merged.to_bytes())
        done(self.layout.folder, SKETCH, unit, [path], started, bytes=storage.size(path))


def group_path(layout: Layout, group: int, bucket: int) -> str:
    return storage.join(layout.folder, SKETCHES, f"group-{group:05d}-{bucket:05d}.bits")
