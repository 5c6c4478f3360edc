"""A step over files reads no rows, and is told when its unit began."""

import time

import pyarrow as pa
import pytest

from curation.engine.run.work import FileWork, Unit, Untransformed


class Noting(FileWork):
    def __init__(self) -> None:
        self.begun: dict[int, float] = {}

    def work(self, unit: int, started: float) -> None:
        self.begun[unit] = started


def test_a_step_over_files_does_all_its_work_when_it_writes() -> None:
    step, before = Noting(), time.perf_counter()
    assert list(step.read(Unit(3, "file"))) == []
    step.write(3, [])
    assert before <= step.begun[3] <= time.perf_counter()


def test_rows_are_refused_where_none_are_read() -> None:
    with pytest.raises(AssertionError, match="a unit without input has no rows"):
        Noting().write(0, [pa.table({"a": [1]})])


def test_rows_are_written_as_they_were_read() -> None:
    table = pa.table({"a": [1]})
    assert Untransformed().transform(0, table) is table
