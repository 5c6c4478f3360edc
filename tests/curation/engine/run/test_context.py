"""A step runs the units that have no commit, and says when one is left without."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pyarrow as pa
import pytest

from curation.core.errors import StageError
from curation.core.manifest import Commit
from curation.engine.run.context import Context, run_step
from curation.engine.run.progress import Watch
from curation.engine.run.steps import commit
from curation.engine.run.work import Unit

Ran = list[tuple[str, list[int]]]


@dataclass(frozen=True)
class Writes:
    """Commits its units, all but some."""

    folder: str
    but: tuple[int, ...] = ()

    def read(self, unit: Unit) -> Iterator[pa.Table]:
        return iter(())

    def transform(self, unit: int, table: pa.Table) -> pa.Table:
        return table

    def write(self, unit: int, tables: Iterable[pa.Table]) -> None:
        list(tables)
        if unit not in self.but:
            commit(self.folder, Commit(unit, (), extra={"unit": unit}), 0.0, "_steps")


def step(folder: Path, but: tuple[int, ...] = ()) -> tuple[Commit, ...]:
    context: Any = SimpleNamespace(folder=str(folder), node=SimpleNamespace(name="dedup"))
    watch = Watch("dedup", str(folder), lambda _: None)
    units = [Unit(number, None) for number in range(4)]
    return run_step(cast(Context, context), watch, "step", Writes(str(folder), but), units, "_steps")


def test_only_what_is_missing_runs(tmp_path: Path, ran: Ran) -> None:
    with pytest.raises(StageError, match=r"dedup: units \[1, 3\] left no commit; run the same command again"):
        step(tmp_path, but=(1, 3))
    assert [one.extra["unit"] for one in step(tmp_path)] == [0, 1, 2, 3]
    step(tmp_path)
    assert ran == [("Writes", [0, 1, 2, 3]), ("Writes", [1, 3])]
