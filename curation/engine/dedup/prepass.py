"""Steps of the pre-pass, which counts keys before any is written; see `curation/engine/dedup/sketches.py`."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pyarrow as pa

from curation.core import storage
from curation.core.commits import Commit
from curation.core.composed import Files
from curation.core.document import bucket_of
from curation.core.needs import Needs
from curation.core.new_file import write_new
from curation.engine.dedup.collide import earlier_keys
from curation.engine.dedup.keys import KeysStep
from curation.engine.dedup.layout import SKETCH, SKETCHES, Layout
from curation.engine.dedup.sketches import sketch_path, sketched_keys
from curation.engine.executor.work import Cheap, Unit
from curation.engine.recipe.dedup_options import CELLS, Prepass
from curation.engine.run.part_files import read_part
from curation.engine.run.routing import Outbox
from curation.engine.run.sent_files import read_file
from curation.models.bloom.two_bit_sketch import TwoBitSketch


@dataclass(frozen=True)
class GroupInput:
    """The input of one group: (number, files) of its shards, and (number of the run, path) of earlier runs' key
    files."""

    shards: tuple[tuple[int, Files], ...]
    earlier: tuple[tuple[int, str], ...]

    @property
    def path(self) -> str:
        """The files in a few words, for messages."""
        paths = [*(files[0] for _, files in self.shards), *(path for _, path in self.earlier)]
        return f"{paths[0]} and {len(paths) - 1} more" if len(paths) > 1 else paths[0]


@dataclass(frozen=True)
class SketchStep:
    """Counts a group's keys, which `keys` makes; a unit's payload is a `GroupInput`."""

    keys: KeysStep
    prepass: Prepass

    @property
    def needs(self) -> Needs:
        return replace(self.keys.needs, memory=self.keys.needs.memory + self.prepass.total_bytes)

    def run(self, unit: Unit) -> Commit:
        layout = self.keys.layout
        sketches = [empty_sketch(self.prepass) for _ in range(self.prepass.sketches)]
        for shard, files in unit.payload.shards:
            self._count(self.keys.keys_of(shard, read_part(files, columns=self.keys.columns)).keys, sketches)
        for number, path in unit.payload.earlier:
            self._count(earlier_keys(layout.earlier[number], self.keys.methods, read_file(path)), sketches)
        outbox = Outbox(layout.folder, SKETCHES, unit.number)
        for number, sketch in enumerate(sketches):
            path = group_sketch_path(layout, unit.number, number)
            outbox.add(path, write_new(path, sketch.to_bytes()))
        return outbox.done()

    def _count(self, keys: pa.Table, sketches: list[TwoBitSketch]) -> None:
        methods = self.keys.methods
        counted = [number for number, (_, method) in enumerate(methods) if method.only_repeated]
        keys = keys.filter(pa.array(np.isin(np.asarray(keys["method"]), counted)))
        hi, lo = sketched_keys(keys)
        order = np.argsort(hi)
        # sketches are of ranges of hi
        hi = hi[order]
        lo = lo[order]
        bounds = np.searchsorted(bucket_of(hi, len(sketches)), np.arange(len(sketches) + 1))
        for sketch, (start, stop) in zip(sketches, pairwise(bounds), strict=True):
            sketch.add(hi[start:stop], lo[start:stop])


@dataclass(frozen=True)
class MergeSketchesStep(Cheap):
    """Adds up one sketch of all groups."""

    layout: Layout
    groups: int

    def run(self, unit: Unit) -> Commit:
        first = storage.read_bytes(group_sketch_path(self.layout, 0, unit.number))
        merged = TwoBitSketch.from_bytes(memoryview(bytearray(first)))
        for group in range(1, self.groups):
            merged.merge(
                TwoBitSketch.from_bytes(storage.read_bytes(group_sketch_path(self.layout, group, unit.number)))
            )
        path = sketch_path(self.layout, unit.number)
        outbox = Outbox(self.layout.folder, SKETCH, unit.number)
        facts = write_new(path, merged.to_bytes())
        outbox.add(path, facts)
        return outbox.done(bytes=facts.bytes)


def group_sketch_path(layout: Layout, group: int, number: int) -> str:
    return storage.join(layout.folder, SKETCHES, f"group-{group:05d}-{number:05d}.bits")


def empty_sketch(prepass: Prepass) -> TwoBitSketch:
    """The sketch of the keys of one prefix."""
    return TwoBitSketch.sized(-(-prepass.expected_keys // prepass.sketches), CELLS, buckets=prepass.sketches)
