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
from curation.engine.dedup.options import CELLS, Prepass
from curation.engine.dedup.sketches import counts, sketch_path, sketched_keys
from curation.engine.run.part_files import read_part
from curation.engine.run.work import FileWork, Unit
from curation.models.bloom.two_bit_sketch import TwoBitSketch


@dataclass(frozen=True)
class SketchStep(FileWork):
    """A group's keys, counted; its unit's payload are the shards with their files. `keys` makes the keys."""

    keys: KeysStep
    prepass: Prepass

    def read(self, unit: Unit) -> Iterator[pa.Table]:
        layout, shards = self.keys.layout, list(unit.payload)
        sketches = [empty_sketch(self.prepass, layout.buckets) for _ in range(layout.buckets)]
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


def empty_sketch(prepass: Prepass, buckets: int) -> TwoBitSketch:
    """The sketch of one bucket."""
    return TwoBitSketch.sized(-(-prepass.expected_keys // buckets), CELLS, buckets=buckets)
