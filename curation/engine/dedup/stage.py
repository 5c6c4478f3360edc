"""Runs a dedup stage: its steps in order, each over the units that are not committed yet, and what they counted."""

import dataclasses
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from typing import cast

from curation.core import storage
from curation.core.commits import COMMITS, Commit
from curation.core.credentials import masked_values
from curation.core.protocols import Links, Members, Methods, Refines, Verifies
from curation.dedup.clusters.survival import Keep
from curation.engine.dedup.attach import AttachStep, ShardErrors
from curation.engine.dedup.check import check_keep
from curation.engine.dedup.clusters import VERDICT_SCHEMA, find_clusters, passing
from curation.engine.dedup.collide import CollideStep
from curation.engine.dedup.earlier_runs import find_earlier
from curation.engine.dedup.keys import KeysStep, RefineStep, columns_read
from curation.engine.dedup.layout import FETCHED, KEYS, PASSING, REFINED, SKETCH, SKETCHES, VERIFIED, Layout
from curation.engine.dedup.options import DedupOptions
from curation.engine.dedup.prepass import MergeStep, SketchStep
from curation.engine.dedup.repeated_keys import RepeatedKeys, SentRows
from curation.engine.dedup.verify import FetchStep, VerifyStep
from curation.engine.recipe.plan import after
from curation.engine.run.commit_log import CommitLog
from curation.engine.run.context import Context, Outcome, given_columns, run_step
from curation.engine.run.progress import Watch
from curation.engine.run.steps import ShardSources
from curation.engine.run.work import Unit, Work
from curation.engine.takedown.tombstones import NAMED_BY
from curation.models.bloom import filter_folder


def run_dedup(context: Context, watch: Watch) -> Outcome:
    """The stage's rows with one struct column per method and the reasons of duplicates; the manifest's `dedup` has the
    figures of the steps before."""
    options = context.node.stage.options
    assert isinstance(options, DedupOptions), "a dedup stage has its own options"
    stage = _Stage(context, watch, options)
    figures, links = stage.keys_and_links()
    figures |= stage.clusters(links)
    outcome = stage.attach(figures)
    for name in storage.list_names(context.folder):
        if name in PASSING or passing(name):
            storage.delete_folder(storage.join(context.folder, name))
    return outcome


def forget_dedup(context: Context) -> None:
    """Deletes what came of shards with documents that a method failed on, and all that may have been made with them: a
    crash on the way leaves nothing that a resumed run would take for done. The commits of attach are the caller's."""
    options = context.node.stage.options
    assert isinstance(options, DedupOptions), "a dedup stage has its own options"
    counted = (KEYS,) if options.prepass else ()  # a pre-pass counted them in for all shards
    for name in storage.list_names(context.folder):
        if name in (*PASSING, REFINED, *counted) or passing(name):
            storage.delete_folder(storage.join(context.folder, name))
    storage.delete_file(storage.join(context.folder, "bloom", filter_folder.MANIFEST))
    with CommitLog(context.folder, KEYS) as keys:
        keys.forget([commit.unit for commit in keys.commits.values() if commit.extra["errors"]])


class _Stage:
    """What every step needs, and the steps."""

    def __init__(self, context: Context, watch: Watch, options: DedupOptions) -> None:
        self.context, self.watch, self.options = context, watch, options
        self.methods = cast(Methods, context.components)
        self.units = context.units()
        earlier = [one for path in options.against for one in find_earlier(path, self.methods, context.buckets)]
        first = list(accumulate((len(one.texts) for one in earlier), initial=len(self.units)))
        places = tuple(one.place(at) for one, at in zip(earlier, first[:-1], strict=True))
        self.layout = Layout(context.folder, len(self.units), context.buckets, places)
        self.texts = (*(str(unit.payload) for unit in self.units), *(text for one in earlier for text in one.texts))
        self.given, self.keep = given_columns(context), Keep.parse(options.keep)
        check_keep(self.keep, self.given)
        self.buckets = [Unit(number, None) for number in range(self.layout.buckets)]
        self.verdicts: tuple[str, ...] = ()

    def step(self, name: str, work: Work, units: Sequence[Unit], folder: str) -> tuple[Commit, ...]:
        return run_step(self.context, self.watch, name, work, units, folder)

    def keys_and_links(self) -> tuple[dict[str, object], int]:
        """Keys of every shard, then what meets in each bucket, then candidates verified. Returns the steps' figures,
        and how many links there are."""
        layout, keep = self.layout, self.keep
        columns, tombstones = columns_read(self.methods, keep), self.context.tombstones
        if tombstones.mark:
            columns = (*columns, *NAMED_BY)
        sketched = self.options.prepass is not None
        step = KeysStep(layout, self.methods, columns, keep, sketched=sketched, tombstones=tombstones)
        sketch_bytes = self._prepass(step)
        keyed = self.step("keys", step, self.units, layout.keyed)
        if self._writes_bloom():
            storage.make_folder(layout.bloom)
        collided = self.step("collide", CollideStep(layout, self.methods), self.buckets, layout.collided)
        rows, links = _sum(keyed, "rows"), _sum(keyed, "links") + _sum(collided, "links")
        figures: dict[str, object] = {"keys": rows, "links": links, "skipped": _counted(collided)}
        if sketch_bytes:
            keys = _sum(keyed, "found")
            figures["prepass"] = {"keys": keys, "not_written": keys - rows, "sketch_bytes": sketch_bytes}
        if self._any(Refines):
            second = layout.second()
            refine = RefineStep(
                second, self.methods, columns, keep, tombstones=tombstones, repeated=RepeatedKeys(layout)
            )
            figures["refined_keys"] = _sum(self.step("refine", refine, self.units, second.keyed), "rows")
            self.step("collide again", CollideStep(second, self.methods), self.buckets, second.collided)
        if self._any(Verifies):
            verified = self._verify()
            figures |= {"candidates": _sum(collided, "candidates"), **verified}
            links += verified["verified"]
        return figures, links

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
        merged = self.step("merge", MergeStep(layout, groups), self.buckets, SKETCH)
        return _sum(merged, "bytes") * (groups + 1)

    def _any(self, kind: type) -> bool:
        return any(isinstance(method, kind) for _, method in self.methods)

    def _writes_bloom(self) -> bool:
        return any(isinstance(method, Members) and method.writes for _, method in self.methods)

    def _verify(self) -> dict[str, int]:
        layout = self.layout
        blocks = [Unit(number, None) for number in range(layout.blocks)]
        fetched = self.step("fetch", FetchStep(layout, self.methods, self.texts), blocks, FETCHED)
        verified = self.step("verify", VerifyStep(layout, self.methods, self.texts), blocks, VERIFIED)
        return {"pairs": _sum(fetched, "pairs"), "verified": _sum(verified, "links")}

    def clusters(self, links: int) -> dict[str, object]:
        """Clusters, survivors and their review, where a method links documents."""
        if not self._any(Links):
            return {}
        clusters = find_clusters(self.step, self.layout, self.options, links, verified=self._any(Verifies))
        self.verdicts = clusters.verdicts
        return {"clusters": clusters.review, "rounds": clusters.rounds}

    def attach(self, figures: dict[str, object]) -> Outcome:
        schema = after(self.context.node.stage, self.given)
        step = AttachStep(
            layout=self.layout,
            methods=self.methods,
            verdicts=SentRows(self.layout, self.verdicts, VERDICT_SCHEMA),
            repeated=RepeatedKeys(self.layout),
            refined=RepeatedKeys(self.layout.second()),
            errors=ShardErrors(self.layout),
            columns=tuple(self.given.names),
            sources=ShardSources.of([source for _, source in self.context.shards]),
            schema=schema,
        )
        commits = self.step("attach", step, self.units, COMMITS)
        if self._writes_bloom():
            own = filter_folder.seal(self.layout.bloom)
            figures["bloom"] = {"folder": "bloom", "items": own.items, "rate": own.rate, "bytes": own.sizing.bytes}
        if self.layout.earlier:
            figures["earlier"] = [masked_values(dataclasses.asdict(one)) for one in self.layout.earlier]
        return Outcome(commits, schema, dedup=figures)


def _sum(commits: Sequence[Commit], name: str) -> int:
    return sum(commit.extra[name] for commit in commits)


def _counted(commits: Sequence[Commit]) -> dict[str, int]:
    total = Counter[str]()
    for commit in commits:
        total.update(commit.extra["counts"])
    return dict(total)
