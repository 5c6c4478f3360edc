"""What a step of a stage does with each of its units; how it is executed says `execution`."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa


@dataclass(frozen=True)
class Unit:
    """One piece of work: its number within the step, and what the step's `read` needs to know."""

    number: int
    payload: Any


class Work(Protocol):
    """A step over units; pickles, knows no ray. `write` puts the unit's commit down last."""

    def read(self, unit: Unit) -> Iterator[pa.Table]: ...

    def transform(self, unit: int, table: pa.Table) -> pa.Table: ...

    def write(self, unit: int, tables: Iterable[pa.Table]) -> None: ...


class Untransformed:
    """Base of a step whose rows are written as they were read."""

    def transform(self, unit: int, table: pa.Table) -> pa.Table:
        return table


class FileWork(Untransformed):
    """Base of a step whose units read the files that earlier steps wrote, and no rows: `work` does all of it."""

    def read(self, unit: Unit) -> Iterator[pa.Table]:
        return iter(())

    def write(self, unit: int, tables: Iterable[pa.Table]) -> None:
        assert not list(tables), "a unit without input has no rows"
        self.work(unit, time.perf_counter())

    def work(self, unit: int, started: float) -> None:
        """Does the unit's work, which began at `started` (`time.perf_counter`), and commits it."""
        raise NotImplementedError
