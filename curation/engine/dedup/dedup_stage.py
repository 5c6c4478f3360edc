"""Runs a dedup stage: its steps in order, each over the units that have no commit yet, and the figures of all."""

import dataclasses
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

from curation.core import storage
from curation.core.commits import COMMITS, GROUP_UNITS, Commit, group_path, read_group
from curation.core.component import each
from curation.core.credentials import masked_values
from curation.core.dedup_methods import DedupMethod, Use, Verifies
from curation.core.manifest import Manifest
from curation.core.threads import map_threads
from curation.dedup.clusters.survival import Keep
from curation.engine.dedup.attach import AttachStep
from curation.engine.dedup.clusters import find_clusters
from curation.engine.dedup.collide import CollideStep
from curation.engine.dedup.keys import KeysStep, RefineStep, columns_read
from curation.engine.dedup.layout import (
    COLLIDED,
    FETCHED,
    GATHERED,
    KEY_SCHEMA,
    KEYS,
    RECOLLIDED,
    REFINED,
    VERIFIED,
    ByBlock,
    Earlier,
    Layout,
    blocks_for,
    key_schema,
    methods_of,
)
from curation.engine.dedup.repeated_keys import BlockInput
from curation.engine.dedup.taken import TakenCopies
from curation.engine.dedup.verify import Candidates, FetchStep, VerifyStep
from curation.engine.executor.work import Unit, Work
from curation.engine.recipe.dedup_checks import check_keep, least_buckets
from curation.engine.recipe.earlier_runs import EarlierStage, find_earlier
from curation.engine.recipe.schemas import after, written
from curation.engine.recipe.taken_keys import find_taken_keys
from curation.engine.removed.tombstones import NAMED_BY
from curation.engine.run.context import Context, Outcome, given_columns, run_step
from curation.engine.run.exchange import buckets_for, delivered
from curation.engine.run.progress import Watch
from curation.engine.run.routing import ByKey
from curation.engine.run.sent_files import SentFiles
from curation.engine.run.steps import ShardSources, columns_of
from curation.models.bloom import filter_folder


def run_dedup(context: Context, watch: Watch) -> Outcome:
    """The stage's rows with one struct column per method and the reasons of duplicates; the manifest's `dedup` has the
    figures of the steps before."""
    stage = _Stage(context, watch)
    figures, links = stage.keys_and_links()
    figures |= stage.clusters(links)
    return stage.attach(figures)


class _Stage:
    """The steps of a dedup stage, and what they have in common."""

    def __init__(self, context: Context, watch: Watch) -> None:
        self.context = context
        self.watch = watch
        self.options = context.node.stage.dedup
        self.methods = each(DedupMethod, context.components)
        self.taken = TakenCopies(tuple(find_taken_keys(context.removed_in, self.methods)))
        self.units = context.units()
        self.earlier = [stage for path in self.options.against for stage in find_earlier(path, self.methods)]
        first = list(accumulate((len(stage.texts) for stage in self.earlier), initial=len(self.units)))
        places = tuple(_place_of(stage, at) for stage, at in zip(self.earlier, first[:-1], strict=True))
        self.documents = context.documents + sum(stage.manifest.total("rows") for stage in self.earlier)
        self.layout = Layout(context.folder, len(self.units), blocks_for(first[-1], self.documents), earlier=places)
        self.earlier_keys = tuple(_sent_keys(stage.folder, stage.manifest) for stage in self.earlier)
        self.texts = (
            *(unit.payload for unit in self.units),
            *(files for stage in self.earlier for files in stage.texts),
        )
        self.given, self.keep = given_columns(context), Keep.parse(self.options.keep)
        check_keep(self.keep, self.given)
        self.sent: dict[str, tuple[SentFiles, ...]] = {}  # to blocks
        self.links: list[str] = []  # files of links, without those between documents of earlier runs

    def step(self, name: str, work: Work, units: Sequence[Unit], folder: str) -> tuple[Commit, ...]:
        commits = run_step(self.context, self.watch, name, work, units, folder)
        linking = [commit.unit for commit in commits if "links" in commit.extra.get("lengths", {})]
        if folder in (KEYS, COLLIDED, VERIFIED):
            self.links += [self.layout.file(folder, "links", unit) for unit in linking]
        return commits

    def blocks(self) -> list[Unit]:
        """A unit for each block that has shards of the stage's own, with what the block was sent so far."""
        layout = self.layout
        units = []
        for number in range(layout.blocks):
            shards = [shard for shard in layout.shards_of(number) if shard < layout.shards]
            sent = {name: [files.to(number, layout.blocks) for files in sent] for name, sent in self.sent.items()}
            if shards:
                units.append(Unit(number, BlockInput(shards[0], tuple(self.texts[shard] for shard in shards), sent)))
        return units

    def keys_and_links(self) -> tuple[dict[str, object], int]:
        """Makes the keys of every shard, compares them in buckets and verifies candidates. Returns the steps' figures,
        and the number of links."""
        layout = self.layout
        keep = self.keep
        columns = columns_read(self.methods, keep)
        tombstones = self.context.tombstones
        if tombstones.mark:
            columns = (*columns, *NAMED_BY)
        step = KeysStep(layout, self.methods, columns, keep, tombstones=tombstones, taken=self.taken)
        keyed = self.step("keys", step, self.units, layout.keyed)
        if self._writes_bloom():
            storage.make_folder(layout.bloom)
        self.layout, keys, collided = self._collide("collide", layout, keyed, least_buckets(self.methods))
        if self._any("members") or self._any("spans"):
            self.sent["repeated"] = (self._to_blocks(COLLIDED, "repeated", collided, "doc"),)
        rows = _sum(keyed, "rows")
        links = _sum(keyed, "links") + _sum(collided, "links")
        figures: dict[str, object] = {"keys": rows, "links": links, "skipped": _counted((*keyed, *collided))}
        figures["exchange"] = {
            "buckets": self.layout.buckets,
            "blocks": layout.blocks,
            "key_files": len(keys.bounds),
            "key_step": keys.step,
            "key_shards": keys.per,  # in each of these files
            "vectors": key_schema(self.methods) != KEY_SCHEMA,
        }
        if any(method.rounds > 1 for _, method in self.methods):
            figures["refined_keys"] = self._refine(
                RefineStep(dataclasses.replace(layout, round=2), self.methods, columns, keep, tombstones=tombstones)
            )
        if methods_of(self.methods, Verifies):
            verified = self._verify(keyed, collided)
            figures |= {"candidates": _sum((*keyed, *collided), "candidates"), **verified}
            links += verified["verified"]
        return figures, links

    def _refine(self, step: RefineStep) -> int:
        """Runs the second round; returns the number of its keys."""
        refined = self.step("refine", step, self.blocks(), REFINED)
        _, _, collided = self._collide("collide again", step.layout, refined, 1)
        self.sent["refined"] = (self._to_blocks(RECOLLIDED, "repeated", collided, "doc"),)
        return _sum(refined, "rows")

    def _collide(
        self, name: str, layout: Layout, keyed: Sequence[Commit], least: int
    ) -> tuple[Layout, SentFiles, tuple[Commit, ...]]:
        """Compares the keys of a round in as many buckets as their size needs. Returns the layout with that number,
        where the keys are, and the commits."""
        size = _sum(keyed, "row_bytes")
        layout = dataclasses.replace(layout, buckets=buckets_for(size, least))
        keys = SentFiles.of(layout.folder, layout.keyed, "keys", keyed)
        keys = delivered(self.step, keys, ByKey(layout.buckets), layout.keyed + GATHERED)
        sources = (keys.compact(), *(self.earlier_keys if layout.round == 1 else ()))
        buckets = range(layout.buckets)
        units = [Unit(number, tuple(sent.to(number, layout.buckets) for sent in sources)) for number in buckets]
        return layout, keys, self.step(name, CollideStep(layout, self.methods, size), units, layout.collided)

    def _to_blocks(self, folder: str, what: str, commits: Sequence[Commit], column: str) -> SentFiles:
        sent = SentFiles.of(self.layout.folder, folder, what, commits)
        return delivered(self.step, sent, ByBlock(self.layout, column), f"{folder}{GATHERED}-{what}").compact()

    def _any(self, use: Use) -> bool:
        return any(method.use == use for _, method in self.methods)

    def _writes_bloom(self) -> bool:
        return any(method.writes for _, method in self.methods)

    def _verify(self, keyed: Sequence[Commit], collided: Sequence[Commit]) -> dict[str, int]:
        layout = self.layout
        blocks = range(self.layout.blocks)
        sent = self._to_blocks(COLLIDED, "candidates", collided, "doc_b")
        own = {commit.unit for commit in keyed if commit.extra["candidates"]}
        units = [
            Unit(n, Candidates(sent.to(n, layout.blocks), tuple(own.intersection(layout.shards_of(n))))) for n in blocks
        ]
        from_text = any(method.evidence_type() is not None for _, _, method in methods_of(self.methods, Verifies))
        work = (layout, self.methods, self.texts if from_text else (), self.documents)
        fetched = self.step("fetch", FetchStep(*work), units, FETCHED)
        evidence = [
            SentFiles.of(layout.folder, FETCHED, what, fetched).compact() for what in fetched[0].extra["lengths"]
        ]
        units = [Unit(n, {sent.what: sent.to(n, layout.blocks) for sent in evidence}) for n in blocks]
        verified = self.step("verify", VerifyStep(*work), units, VERIFIED)
        return {"pairs": _sum(fetched, "pairs"), "verified": _sum(verified, "links")}

    def clusters(self, links: int) -> dict[str, object]:
        """Finds clusters and survivors where a method links documents; returns the figures."""
        if not self._any("links"):
            return {}
        clusters = find_clusters(self.step, self.layout, self.options, tuple(self.links), links)
        self.sent["verdicts"] = clusters.verdicts
        return {"clusters": clusters.review, "rounds": clusters.rounds}

    def attach(self, figures: dict[str, object]) -> Outcome:
        stage = self.context.node.stage
        last = self.context.node.last
        schema = after(stage.verb, stage.components, self.given)
        step = AttachStep(
            layout=self.layout,
            methods=self.methods,
            columns=tuple(self.given.names)
            if last
            else columns_of(stage.components, self.given, self.context.tombstones),
            sources=ShardSources.of([part.source for _, part in self.context.shards]),
            schema=written(stage, self.given, schema, last=last),
            drops=self.keep.drops,
            taken=self.taken,
        )
        commits = self.step("attach", step, self.blocks(), COMMITS)
        if self._writes_bloom():
            own = filter_folder.seal(self.layout.bloom)
            figures["bloom"] = {"folder": "bloom", "items": own.items, "rate": own.rate, "bytes": own.sizing.bytes}
        if self.layout.earlier:
            figures["earlier"] = [masked_values(dataclasses.asdict(stage)) for stage in self.layout.earlier]
        return Outcome(commits, schema, dedup=figures)


def _sum(commits: Sequence[Commit], name: str) -> int:
    return sum(commit.extra[name] for commit in commits)


def _counted(commits: Sequence[Commit]) -> dict[str, int]:
    total = Counter[str]()
    for commit in commits:
        total.update(commit.extra["counts"])
    return dict(total)


def _place_of(stage: EarlierStage, first: int) -> Earlier:
    """The stage as tasks know it, its first shard numbered `first`."""
    manifest = stage.manifest
    assert manifest.dedup is not None, "it is a dedup stage"
    return Earlier(stage.folder, first, len(manifest.shards), stage.methods, manifest.dedup["exchange"]["vectors"])


def _sent_keys(folder: str, manifest: Manifest) -> SentFiles:
    """Where the keys of a sealed dedup stage are: in files of single shards, or of groups of shards."""
    assert manifest.dedup is not None, "it is a dedup stage"
    step, files = (manifest.dedup["exchange"][name] for name in ("key_step", "key_files"))
    groups = map_threads(lambda number: read_group(group_path(folder, number, step)), range(-(-files // GROUP_UNITS)))
    return SentFiles.of(folder, step, "keys", [commit for group in groups for commit in group])
