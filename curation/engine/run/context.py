"""A stage about to run, what it leaves, and how one of its steps runs over the units that are not committed yet."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import pyarrow as pa

from curation.core import storage
from curation.core.component import Components
from curation.core.errors import StageError
from curation.core.manifest import Commit, Manifest
from curation.engine.recipe.address import Address
from curation.engine.recipe.assets import located, substitute
from curation.engine.recipe.node import Node
from curation.engine.recipe.recipe import Stage
from curation.engine.run.execution import run
from curation.engine.run.part_files import part_schema
from curation.engine.run.progress import Watch
from curation.engine.run.steps import COMMITS, commit_name, committed
from curation.engine.run.work import Unit, Work
from curation.engine.takedown.tombstones import NONE, Tombstones

Entry = dict[str, object]
READERS = 16  # commits read at a time


@dataclass(frozen=True)
class Context:
    """A node about to run: its folder, its resolved address and what lies upstream."""

    node: Node
    folder: str
    address: Address
    buckets: int
    upstream: tuple[tuple[str, Manifest], ...]
    schemas: tuple[pa.Schema | None, ...]
    fitted: dict[str, str]
    full_bytes: int
    tombstones: Tombstones = NONE

    @property
    def components(self) -> Components:
        """The stage's own components, fitted assets filled in."""
        return self.stage.components

    @property
    def stage(self) -> Stage:
        """The node's stage, fitted assets filled in."""
        stage = self.node.stage
        return replace(stage, components=tuple((k, located(substitute(c, self.fitted))) for k, c in stage.components))

    @property
    def shards(self) -> tuple[tuple[str, str], ...]:
        """(path, source) of every shard that the stage reads, in order."""
        return tuple(
            (storage.join(folder, part.file), part.source)
            for folder, manifest in self.upstream
            for part in manifest.parts
        )

    def units(self) -> list[Unit]:
        return [Unit(number, path) for number, (path, _) in enumerate(self.shards)]


@dataclass(frozen=True)
class Outcome:
    """What a stage left: its commits in unit order, its columns, and the entries that some verbs add."""

    commits: tuple[Commit, ...]
    schema: pa.Schema | None = None
    asset: Entry | None = None
    tokens: Entry | None = None
    mix: Entry | None = None
    dedup: Entry | None = None


def run_step(
    context: Context, watch: Watch, name: str, work: Work, units: Sequence[Unit], commits: str = COMMITS
) -> tuple[Commit, ...]:
    """The step's commits in unit order, after running those that had none. Raises StageError if any stays without."""
    storage.make_folder(storage.join(context.folder, commits))
    watch.step(name, commits, len(units))
    names = set(storage.list_names(storage.join(context.folder, commits)))
    by_unit = _commits(context.folder, [unit for unit in units if commit_name(unit.number) in names], commits)
    missing = [unit for unit in units if by_unit.get(unit.number) is None]
    if missing:
        run(work, missing)
        by_unit |= _commits(context.folder, missing, commits)
    lost = [number for number, commit in by_unit.items() if commit is None]
    if lost:
        raise StageError(f"{context.node.name}: units {lost[:5]} left no commit; run the same command again")
    return tuple(commit for _, commit in sorted(by_unit.items()) if commit is not None)


def _commits(folder: str, units: Sequence[Unit], commits: str) -> dict[int, Commit | None]:
    """Each unit's commit, several at a time: a store may take long to answer."""
    numbers = [unit.number for unit in units]
    with ThreadPoolExecutor(READERS) as pool:
        return dict(zip(numbers, pool.map(lambda number: committed(folder, number, commits), numbers), strict=True))


def given_columns(context: Context) -> pa.Schema:
    """Columns that the stage reads: those of its upstream; where several join, those that they have in common."""
    schemas = [part_schema(storage.join(folder, manifest.parts[0].file)) for folder, manifest in context.upstream]
    return pa.schema([f for f in schemas[0] if all(f in list(other) for other in schemas[1:])])
