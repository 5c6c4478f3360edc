"""A stage about to run, what it leaves, and how one of its steps runs over the units that have no commit yet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import pyarrow as pa

from curation.core.commits import COMMITS, Commit, Part
from curation.core.component import Components
from curation.core.composed import Files, schema_of
from curation.core.shard_files import ShardFiles
from curation.engine.executor.executor import Executor, Listener
from curation.engine.executor.failures import Failure, described, stage_error
from curation.engine.executor.work import Losable, Unit, Work
from curation.engine.recipe.address import Address
from curation.engine.recipe.assets import located, substitute
from curation.engine.recipe.bounds import bounded
from curation.engine.recipe.node import Node
from curation.engine.recipe.recipe import Stage
from curation.engine.removed.tombstones import NONE, Tombstones
from curation.engine.run.commit_log import CommitLog
from curation.engine.run.guards import Guards
from curation.engine.run.progress import Watch

Entry = dict[str, object]


@dataclass(frozen=True)
class Context:
    """A stage about to run: its folder, its address, the sealed stages that it reads, and where its units run."""

    node: Node
    folder: str
    address: Address
    upstream: tuple[ShardFiles, ...]
    fitted: dict[str, str]  # path of each sealed fit stage's asset, by the stage's name
    full_bytes: int  # of text, at which an output file of a first stage is full
    executor: Executor
    tombstones: Tombstones = NONE
    removed_in: tuple[str, ...] = ()  # other runs whose takedowns hold here

    @property
    def components(self) -> Components:
        """The stage's own components, fitted assets filled in."""
        return self.stage.components

    @property
    def stage(self) -> Stage:
        """The node's stage, fitted assets filled in."""
        stage = self.node.stage
        components = bounded(stage.components, stage.bounds, self.fitted)
        return replace(
            stage, components=tuple((k, located(substitute(c, self.fitted).resolved())) for k, c in components)
        )

    @cached_property
    def shards(self) -> tuple[tuple[Files, Part], ...]:
        """Every shard that the stage reads, in order: its files, and its part of the nearest stage without reasons."""
        shards: list[tuple[Files, Part]] = []
        for stage in self.upstream:
            parts = stage.manifest.shards.brief
            shards += zip(stage.with_names([part.file for part in parts]), parts, strict=True)
        return tuple(shards)

    @property
    def rows_to_read(self) -> int | None:
        """Rows that the stage reads; None where only reading them tells."""
        return self.documents if self.node.verb.maps_rows else None

    @property
    def documents(self) -> int:
        """Documents that the stages before kept."""
        return sum(stage.manifest.total("kept") for stage in self.upstream)

    def units(self) -> list[Unit]:
        return [Unit(number, files) for number, (files, _) in enumerate(self.shards)]


@dataclass(frozen=True)
class Outcome:
    """What a stage left: its commits in unit order, its columns, and the manifest entries that some verbs add."""

    commits: tuple[Commit, ...]
    schema: pa.Schema | None = None
    asset: Entry | None = None
    tokens: Entry | None = None
    mix: Entry | None = None
    dedup: Entry | None = None
    lookup: Mapping[str, int] | None = None


def run_step(
    context: Context, watch: Watch, name: str, work: Work, units: Sequence[Unit], step: str = COMMITS
) -> tuple[Commit, ...]:
    """The step's commits in unit order, after running the units that had none.

    Raises StageError for units that failed in all attempts, more than the stage may be sealed without (`Inline` raises
    the unit's own error), and where a guard of the stage is broken on the way; what is committed stays.
    """
    options = context.node.stage.options
    guards = Guards(context.node.name, options, context.rows_to_read if step == COMMITS else None)
    with CommitLog(context.folder, step) as commits:
        own = {unit.number for unit in units}
        done = [commit for number, commit in commits.commits.items() if number in own]
        watch.step(name, len(units), done, step)
        for commit in done:
            guards.count(commit)

        def finished(commit: Commit) -> None:
            commits.add(commit)
            watch.commit(commit)
            guards.check(commit)

        missing = [unit for unit in units if unit.number not in commits.commits]
        spare = options.max_failed_units - guards.lost if isinstance(work, Losable) else 0
        listener = Listener(finished, watch.retry, watch.note, max(spare, 0))
        failures = context.executor.run(work, missing, listener) if missing else []
        for failure in failures:
            if not isinstance(work, Losable) or len(failures) > spare:
                raise stage_error(context.node.name, name, failures, units)
            finished(_without(work, units, failure, watch))
        ended = tuple(commits.commits[unit.number] for unit in units)
    watch.step_ended(work.needs, ended, context.executor.cores)
    return ended


def _without(work: Losable, units: Sequence[Unit], failure: Failure, watch: Watch) -> Commit:
    """The commit of a unit that the stage is sealed without: empty, and it says so."""
    unit = next(unit for unit in units if unit.number == failure.unit)
    commit = work.empty(unit)
    lost = {"unit": unit.number, "input": described(unit), "error": failure.error}
    watch.note(f"sealed without unit {unit.number}, {lost['input']}: {failure.error}")
    return replace(commit, extra={**commit.extra, "lost": lost})


def given_columns(context: Context) -> pa.Schema:
    """Columns that the stage reads: those of its upstream; where several join, those that they have in common."""
    schemas = [schema_of(stage.files(0), [name for name, _ in stage.manifest.schema]) for stage in context.upstream]
    return pa.schema([f for f in schemas[0] if all(f in list(other) for other in schemas[1:])])
