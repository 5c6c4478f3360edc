"""Runs a fit: the sizes of groups where the manifests do not know them, drawing or counting over all workers, and one
task that learns the asset.

What the steps leave on the way lies in folders that are deleted before the stage is sealed. A stage whose asset is
committed runs none of them again.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from curation.core import storage
from curation.core.commits import Commit
from curation.core.errors import StageError
from curation.core.fits import Counts, Fit, Indexes, Learns, LearnsPages
from curation.core.protocols import Piece, Source
from curation.engine.executor.executor import Executor, Listener
from curation.engine.executor.failures import stage_error
from curation.engine.executor.work import Unit, Work
from curation.engine.fit.count import COUNTED, COUNTS, MERGED, CountStep, FinishStep, MergeStep
from curation.engine.fit.draw import DRAWN, Chooser, DrawStep, short_of
from curation.engine.fit.example_files import ExampleFile
from curation.engine.fit.groups import (
    MEASURED_BYTES,
    SampleGroups,
    SizesStep,
    check_shard,
    groups_of,
    known_sizes,
    measured_sizes,
)
from curation.engine.fit.learn import IndexStep, LearnStep
from curation.engine.fit.pages import LearnPagesStep, LookStep, chosen
from curation.engine.fit.portions import Portion, Reader, portions_of
from curation.engine.recipe.assets import located
from curation.engine.removed.tombstones import NONE, Tombstones
from curation.engine.run.commit_log import CommitLog
from curation.engine.run.context import Context, Outcome, run_step
from curation.engine.run.exchange import Step, buckets_for, delivered
from curation.engine.run.progress import Watch
from curation.engine.run.routing import ByKey
from curation.engine.run.sent_files import STORED, SentFiles
from curation.fit.sample.shares import SOURCE, KeptShard

# folders of the commits of the first step and of the last, which stays
SIZES = "_sizes"
FITTED = "_fitted"
GATHERED = "-gathered"
MORE = 8  # times the candidates where they were too few


def run_fit(context: Context, watch: Watch) -> Outcome:
    """The asset, as the manifest has it. Raises StageError where nothing was kept that could be learned from."""
    node = context.node
    fit = context.stage.sole(Fit)
    if context.upstream and not context.documents:
        raise StageError(f"{node.name} has no text to learn from: see `winnow funnel` for what dropped it all")
    with CommitLog(context.folder, FITTED) as log:
        done = log.commits.get(0)
    if done is None:
        step = partial(run_step, context, watch)
        if isinstance(fit, Indexes):
            work = IndexStep(fit, context.folder, context.address.examples)
            done = step("index", work, [Unit(0, None)], FITTED)[0]
        elif isinstance(fit, LearnsPages):
            done = _of_pages(context, fit, step).run()
        else:
            done = Fitting(fit, portions(context, fit), context.folder, step, context.tombstones).run()
            _say_taken(done, watch)
    return Outcome((), None, asset=done.extra["asset"])


def _of_pages(context: Context, fit: LearnsPages, step: Step) -> "PagesFitting":
    read = context.node.pages_of
    assert read is not None, "the plan says which source a fit of pages stands in"
    source = located(read.sole(Source))
    skips = read.options.max_failed_inputs > 0
    return PagesFitting(fit, source, context.node.chain, context.address.units, context.folder, step, skips)


def tidy_fit(folder: str) -> None:
    """Deletes what nothing reads once the asset is there."""
    for name in storage.list_names(folder):
        if name in (SIZES, COUNTED, COUNTED + GATHERED, MERGED, STORED) or name.startswith(DRAWN):
            storage.delete_folder(storage.join(folder, name))


def learned(fit: Fit, several: Sequence[Portion], executor: Executor) -> tuple[dict[str, bytes], dict[str, Any]]:
    """The files of the asset and what it was learned from, by the same steps as in a run, without one.

    The executor sees the temporary folder of this machine only.
    """
    return _alone(fit, executor, lambda folder, step: Fitting(fit, several, folder, step).run())


def learned_from_pages(
    fit: LearnsPages, source: Source, name: str, units: Sequence[tuple[Piece, ...]], executor: Executor
) -> tuple[dict[str, bytes], dict[str, Any]]:
    """As `learned`, of pages of a source that a recipe calls so."""
    return _alone(fit, executor, lambda folder, step: PagesFitting(fit, source, name, units, folder, step).run())


def _alone(fit: Fit, executor: Executor, run: Callable[[str, Step], Commit]) -> tuple[dict[str, bytes], dict[str, Any]]:
    """What the last step, whose commit `run` returns for a folder, has made there."""
    with TemporaryDirectory(prefix="winnow-fit-") as folder:

        def step(name: str, work: Work, units: Sequence[Unit], commits: str) -> tuple[Commit, ...]:
            storage.make_folder(storage.join(folder, commits))
            finished: dict[int, Commit] = {}
            failures = executor.run(work, units, Listener(lambda commit: finished.update({commit.unit: commit})))
            if failures:
                raise stage_error(fit.asset, name, failures, units)
            return tuple(finished[unit.number] for unit in units)

        commit = run(folder, step)
        files = {name: Path(folder, name).read_bytes() for name in commit.extra["files"]}
        return files, commit.extra["asset"]["sample"]


def portions(context: Context, fit: Fit) -> list[Portion]:
    """What the stage reads: its chain's shards, or the examples that its options name."""
    every = fit.examples()
    if every is None:
        return portions_of(_shards(context, range(len(context.upstream))))
    several: list[Portion] = []
    for label, examples in every.items():
        if examples.files:
            files = [ExampleFile(Piece.of(file), examples) for file in context.address.examples[label]]
            several += [Portion(label, file=file) for file in files]
        else:
            above = [context.node.upstream.index(index) for index in context.node.examples[label]]
            several += portions_of(_shards(context, above), label)
    return several


def _shards(context: Context, above: Sequence[int]) -> list[KeptShard]:
    """The shards of some of the stages that the fit reads."""
    shards = []
    for number in above:
        stage = context.upstream[number]
        parts = stage.manifest.shards.brief
        files = stage.with_names([part.file for part in parts])
        own = zip(files, parts, strict=True)
        shards += [KeptShard(paths, part.source, part.kept_text_bytes, part.kept) for paths, part in own]
    return shards


@dataclass(frozen=True)
class Fitting:
    """A fit over these portions, with its files in `folder`, its steps run by `step`."""

    fit: Fit
    portions: Sequence[Portion]
    folder: str
    step: Step
    tombstones: Tombstones = NONE

    def run(self) -> Commit:
        """The commit of the last step. Raises RecipeError for groups that are not in the text."""
        groups = self.groups()
        ranked = isinstance(self.fit, Learns) and bool(self.reader.by)  # enough candidates, to draw the sample from
        chooser = Chooser(self.reader, tuple(groups.names), tuple(groups.shares(margin=ranked)))
        if isinstance(self.fit, Counts):
            return self._count(self.fit, groups, chooser)
        assert isinstance(self.fit, Learns), "a fit learns or counts"
        return self._learn(self.fit, groups, chooser, ranked=ranked)

    @property
    def reader(self) -> Reader:
        return Reader.of(self.fit, self.tombstones)

    @property
    def units(self) -> list[Unit]:
        return [Unit(number, portion) for number, portion in enumerate(self.portions)]

    def groups(self) -> SampleGroups:
        """What there is, and what is wanted of it."""
        by = self.reader.by
        known = by in ("", SOURCE) or self.reader.examples  # the manifests have the sizes of shards
        scanned = [unit for unit in self.units if not known or unit.payload.file is not None]
        shards = [shard for unit in scanned for shard in unit.payload.shards]
        for shard in shards[:1]:
            check_shard(by, shard)
        every = max(1, ceil(sum(shard.kept_bytes for shard in shards) / MEASURED_BYTES))
        commits = self.step("sizes", SizesStep(by, every, self.tombstones), scanned, SIZES) if scanned else ()
        sizes, documents = known_sizes(self.portions if known else (), by)
        more, counts = measured_sizes(commits)
        sizes.update(more)
        documents.update(counts)
        taken = Counter[str]()
        for commit in commits:
            taken.update(commit.extra["taken"])
        return replace(groups_of(self.fit, sizes, documents), taken=taken)

    def _learn(self, fit: Learns, groups: SampleGroups, chooser: Chooser, *, ranked: bool) -> Commit:
        """Where there are groups, candidates are drawn first: were they too few, more of them."""
        targets = tuple(groups.wanted.values())
        folder = DRAWN
        commits = self._draw(chooser, targets, folder, ranked=ranked)
        while ranked and any(short := short_of(commits, targets, chooser.shares)):
            shares = [
                min(1.0, share * MORE) if few else share for share, few in zip(chooser.shares, short, strict=True)
            ]
            chooser = replace(chooser, shares=tuple(shares))
            folder = folder + "-again"
            commits = self._draw(chooser, targets, folder, ranked=ranked)
        drawn = tuple(commit.unit for commit in commits if commit.extra["files"])
        work = LearnStep(fit, self.folder, folder, drawn, self.reader, groups, _totals(commits))
        return self.step("learn", work, [Unit(0, None)], FITTED)[0]

    def _draw(self, chooser: Chooser, targets: tuple[float, ...], folder: str, *, ranked: bool) -> tuple[Commit, ...]:
        return self.step("draw", DrawStep(self.folder, folder, chooser, targets, ranked), self.units, folder)

    def _count(self, fit: Counts, groups: SampleGroups, chooser: Chooser) -> Commit:
        counted = self.step("count", CountStep(fit, self.folder, chooser), self.units, COUNTED)
        size = sum(commit.extra["row_bytes"] for commit in counted)
        buckets = buckets_for(size)
        sent = SentFiles.of(self.folder, COUNTED, COUNTS, counted)
        sent = delivered(self.step, sent, ByKey(buckets), COUNTED + GATHERED).compact()
        units = [Unit(number, sent.to(number, buckets)) for number in range(buckets)]
        self.step("merge", MergeStep(fit, self.folder, size // buckets), units, MERGED)
        work = FinishStep(fit, self.folder, buckets, chooser, groups, _totals(counted))
        return self.step("learn", work, [Unit(0, None)], FITTED)[0]


@dataclass(frozen=True)
class PagesFitting:
    """A fit of pages of these units of a source, with its files in `folder`, its steps run by `step`."""

    fit: LearnsPages
    source: Source
    source_name: str
    units: Sequence[tuple[Piece, ...]]
    folder: str
    step: Step
    skips_inputs: bool = False

    def run(self) -> Commit:
        """The commit of the last step."""
        units = chosen(self.units, self.fit.archives)
        each = ceil(self.fit.pages / len(units))
        look = LookStep(self.fit, self.folder, DRAWN, self.source, self.source_name, each, self.skips_inputs)
        commits = self.step("look", look, units, DRAWN)
        drawn = tuple(commit.unit for commit in commits if commit.extra["files"])
        return self.step("learn", LearnPagesStep(self.fit, self.folder, DRAWN, drawn), [Unit(0, None)], FITTED)[0]


def _say_taken(done: Commit, watch: Watch) -> None:
    groups = done.extra["asset"]["sample"]["groups"]
    taken = {group["group"]: group["taken_down"] for group in groups if group.get("taken_down")}
    if taken:
        named = ", ".join(f"{count:,} of {name}" for name, count in taken.items())
        watch.note(f"documents of files were left out because their text was taken down: {named}")


def _totals(commits: Sequence[Commit]) -> tuple[tuple[int, int], ...]:
    """Documents and bytes of text by group, over all units."""
    return tuple((row[0], row[1]) for row in np.sum([commit.extra["groups"] for commit in commits], axis=0).tolist())
