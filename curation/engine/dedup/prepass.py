"""Steps of the pre-pass, which counts keys before any is written; see `curation/engine/dedup/sketches.py`."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

from curation.core import storage
from curation.core.commits import Commit
from curation.core.document import bucket_of
from curation.core.new_file import write_new
from curation.engine.dedup.collide import earlier_keys
from curation.engine.dedup.keys import KeysStep
from curation.engine.dedup.layout import SKETCHES, Layout
from curation.engine.dedup.options import CELLS, Prepass
from curation.engine.dedup.sketches import counts, sketch_path, sketched_keys
from curation.engine.run.part_files import read_part
from curation.engine.run.routing import done
from curation.engine.run.work import Cheap, Unit
from curation.models.bloom.two_bit_sketch import TwoBitSketch


@dataclass(frozen=True)
class SketchStep(Cheap):
    """A group's keys, counted; its unit's payload are the shards with their files. `keys` makes the keys."""

    keys: KeysStep
    prepass: Prepass

    def run(self, unit: Unit) -> Commit:
        layout, shards = self.keys.layout, list(unit.payload)
        sketches = [empty_sketch(self.prepass, layout.buckets) for _ in range(layout.buckets)]
        for shard, files in shards:
            if shard < layout.shards:
                self._count(self.keys.keys_of(shard, read_part(files, columns=self.keys.columns)).keys, sketches)
            else:
                for bucket in range(layout.buckets):
                    self._count(earlier_keys(layout, self.keys.methods, shard, bucket), sketches)
        paths = [group_path(layout, unit.number, bucket) for bucket in range(layout.buckets)]
        for path, sketch in zip(paths, sketches, strict=True):
            write_new(path, sketch.to_bytes())
        return done(layout.folder, unit.number, paths)

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
class MergeStep(Cheap):
    """One bucket's sketches of all groups, added up."""

    layout: Layout
    groups: int

    def run(self, unit: Unit) -> Commit:
        first = storage.read_bytes(group_path(self.layout, 0, unit.number))
        merged = TwoBitSketch.from_bytes(memoryview(bytearray(first)))
        for group in range(1, self.groups):
            merged.merge(TwoBitSketch.from_bytes(storage.read_bytes(group_path(self.layout, group, unit.number))))
        path = sketch_path(self.layout, unit.number)
        write_new(path, merged.to_bytes())
        return done(self.layout.folder, unit.number, [path], bytes=storage.size(path))


def group_path(layout: Layout, group: int, bucket: int) -> str:
    return storage.join(layout.folder, SKETCHES, f"group-{group:05d}-{bucket:05d}.bits")


def empty_sketch(prepass: Prepass, buckets: int) -> TwoBitSketch:
    """The sketch of one bucket."""
    return TwoBitSketch.sized(-(-prepass.expected_keys // buckets), CELLS, buckets=buckets)
