"""Runs a dedup stage: its steps in order, each over the units that are not committed yet, and what they counted."""

import dataclasses
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from curation.core import storage
from curation.core.manifest import Commit
from curation.core.protocols import Refines, Verifies
from curation.dedup.clusters.survival import Keep
from curation.engine.dedup.attach import AttachStep
from curation.engine.dedup.check import check_keep
from curation.engine.dedup.clusters import find_clusters, passing
from curation.engine.dedup.collide import CollideStep
from curation.engine.dedup.earlier_runs import find_earlier
from curation.engine.dedup.keys import KeysStep, RefineStep, columns_read
from curation.engine.dedup.kinds import gives_links, is_membership
from curation.engine.dedup.layout import FETCHED, KEYS, PASSING, REFINED, SKETCH, SKETCHES, VERIFIED, Layout
from curation.engine.dedup.options import DedupOptions
from curation.engine.dedup.prepass import MergeStep, SketchStep
from curation.engine.dedup.verify import FetchStep, VerifyStep
from curation.engine.recipe.plan import after
from curation.engine.run.context import Context, Outcome, given_columns, run_step
from curation.engine.run.execution import Unit
from curation.engine.run.progress import Watch
from curation.engine.run.steps import COMMITS, Sources, commit_name
from curation.engine.takedown.tombstones import NAMED_BY
from curation.models.bloom import filter_folder


def run_dedup(context: Context, watch: Watch) -> Outcome:
    """The stage's rows with one struct column per method and the reasons of duplicates; the manifest's `dedup` says
    what was found on the way."""
    options = context.node.stage.options
    assert isinstance(options, DedupOptions), "a dedup stage has its own options"
    stage = _Stage(context, watch, options)
    found = stage.keys_and_links()
    found |= stage.clusters(found["links"] + found.get("verified", 0))
    outcome = stage.attach(found)
    for name in storage.list_names(context.folder):
        if name in PASSING or passing(name):
            storage.delete_folder(storage.join(context.folder, name))
    return outcome


def forget_dedup(context: Context, failed: Sequence[int]) -> None:
    """Deletes what came of shards whose documents failed, and all that may have been made with them, verdicts first: a
    crash on the way leaves nothing that a resumed run would take for done."""
    options = context.node.stage.options
    assert isinstance(options, DedupOptions), "a dedup stage has its own options"
    for name in (COMMITS, REFINED, *((KEYS,) if options.prepass else ())):  # a pre-pass counted them in for all shards
        storage.delete_folder(storage.join(context.folder, name))
    storage.delete_file(storage.join(context.folder, "bloom", filter_folder.MANIFEST))
    for unit in failed:
        storage.delete_file(storage.join(context.folder, KEYS, commit_name(unit)))


class _Stage:
    """The parts that every step needs, and the steps."""

    def __init__(self, context: Context, watch: Watch, options: DedupOptions) -> None:
        self.context, self.watch, self.options = context, watch, options
        self.methods = context.parts
        self.units = context.units()
        earlier = [one for path in options.against for one in find_earlier(path, self.methods, context.buckets)]
        counts = [len(self.units), *(len(one.texts) for one in earlier)]
        first = [sum(counts[: n + 1]) for n in range(len(earlier))]
        places = tuple(one.place(at) for one, at in zip(earlier, first, strict=True))
        self.layout = Layout(context.folder, len(self.units), context.buckets, places, run=uuid4().hex)
        self.texts = (*(str(unit.payload) for unit in self.units), *(text for one in earlier for text in one.texts))
        self.given = given_columns(context)
        check_keep(Keep.parse(options.keep), self.given)
        self.verdicts: tuple[str, ...] = ()

    def step(self, name: str, work: Any, units: Sequence[Unit], folder: str) -> tuple[Commit, ...]:
        return run_step(self.context, self.watch, name, work, units, folder)

    def keys_and_links(self) -> dict[str, Any]:
        """Keys of every shard, then what meets in each bucket, then candidates verified. Returns what was counted."""
        layout, keep = self.layout, Keep.parse(self.options.keep)
        columns, tombstones = columns_read(self.methods, keep), self.context.tombstones
        if tombstones.mark:
            columns = (*columns, *NAMED_BY)
        sketched = self.options.prepass is not None
        step = KeysStep(layout, self.methods, columns, keep, sketched=sketched, tombstones=tombstones)
        sketch_bytes = self._prepass(step)
        keyed = self.step("keys", step, self.units, layout.keyed)
        buckets = [Unit(number, None) for number in range(layout.buckets)]
        if self._writes_bloom():
            storage.make_folder(layout.bloom)
        collided = self.step("collide", CollideStep(layout, self.methods), buckets, layout.collided)
        found: dict[str, Any] = {"keys": _sum(keyed, "rows"), "links": _sum(keyed, "links") + _sum(collided, "links")}
        found |= {"skipped": _counted(collided)}
        if sketch_bytes:
            rows = _sum(keyed, "found")
            found["prepass"] = {"keys": rows, "not_written": rows - found["keys"], "sketch_bytes": sketch_bytes}
        if any(isinstance(method, Refines) for _, method in self.methods):
            second = layout.second()
            refine = RefineStep(second, self.methods, columns, keep, tombstones=tombstones)
            found["refined_keys"] = _sum(self.step("refine", refine, self.units, second.keyed), "rows")
            self.step("collide again", CollideStep(second, self.methods), buckets, second.collided)
        if any(isinstance(method, Verifies) for _, method in self.methods):
            found |= self._verify(_sum(collided, "candidates"))
        return found

    def _prepass(self, step: KeysStep) -> int:
        """Counts all keys where the recipe says so; returns the bytes of the sketches that were written."""
        layout, prepass = self.layout, self.options.prepass
        if prepass is None:
            return 0
        storage.make_folder(storage.join(layout.folder, SKETCHES))
        shards = list(enumerate([*(str(unit.payload) for unit in self.units), *self.texts[layout.shards :]]))
        groups = min(prepass.groups, len(shards))
        units = [Unit(number, tuple(shards[number::groups])) for number in range(groups)]
        self.step("sketch", SketchStep(step, prepass), units, SKETCHES)
        buckets = [Unit(number, None) for number in range(layout.buckets)]
        merged = self.step("merge", MergeStep(layout, groups), buckets, SKETCH)
        return _sum(merged, "bytes") * (groups + 1)

    def _writes_bloom(self) -> bool:
        return any(is_membership(method) and method.expected_items is not None for _, method in self.methods)

    def _verify(self, candidates: int) -> dict[str, Any]:
        layout = self.layout
        blocks = [Unit(number, None) for number in range(layout.blocks)]
        fetched = self.step("fetch", FetchStep(layout, self.methods, self.texts), blocks, FETCHED)
        verified = self.step("verify", VerifyStep(layout, self.methods, self.texts), blocks, VERIFIED)
        return {"candidates": candidates, "pairs": _sum(fetched, "pairs"), "verified": _sum(verified, "links")}

    def clusters(self, links: int) -> dict[str, Any]:
        """Clusters, survivors and their review, where a method links documents."""
        if not any(gives_links(method) for _, method in self.methods):
            return {}
        verified = any(isinstance(method, Verifies) for _, method in self.methods)
        found = find_clusters(self.step, self.layout, self.options, links, verified=verified)
        self.verdicts = found.verdicts
        return {"clusters": found.review, "rounds": found.rounds}

    def attach(self, found: dict[str, Any]) -> Outcome:
        schema = after(self.context.node.stage, self.given)
        sources = Sources.of([source for _, source in self.context.shards])
        step = AttachStep(
            layout=self.layout,
            methods=self.methods,
            verdicts=self.verdicts,
            columns=tuple(self.given.names),
            sources=sources,
            schema=schema,
        )
        commits = self.step("attach", step, self.units, COMMITS)
        if self._writes_bloom():
            made = filter_folder.seal(self.layout.bloom)
            found["bloom"] = {"folder": "bloom", "items": made.items, "rate": made.rate, "bytes": made.sizing.bytes}
        if self.layout.earlier:
            found["earlier"] = [dataclasses.asdict(one) for one in self.layout.earlier]
        return Outcome(commits, schema, dedup=found)


def _sum(commits: Sequence[Commit], name: str) -> int:
    return sum(one.extra[name] for one in commits)


def _counted(commits: Sequence[Commit]) -> dict[str, int]:
    total: dict[str, int] = {}
    for one in commits:
        for name, count in one.extra["counts"].items():
            total[name] = total.get(name, 0) + count
    return total
