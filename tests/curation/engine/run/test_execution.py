"""Through Ray: one task a unit, empty units included; a worker's error comes back as one clear line."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest

from curation.core.errors import InputError, StageError, WinnowError
from curation.engine.run.execution import root_cause
from curation.engine.run.work import Unit
from tests.runs import python


@dataclass(frozen=True)
class Doubles:
    """Writes the sum of 2x over its unit's rows into a file; unit 3 fails when told to."""

    folder: str
    error: type[Exception] | None = None

    def read(self, unit: Unit) -> Iterator[pa.Table]:
        for block in range(unit.payload):
            yield pa.table({"x": list(range(block, block + 100))})

    def transform(self, unit: int, table: pa.Table) -> pa.Table:
        if self.error is not None and unit == 3:
            raise self.error("unit 3 is broken")
        return pa.table({"x": [2 * x for x in table["x"].to_pylist()]})

    def write(self, unit: int, tables: Iterable[pa.Table]) -> None:
        total = sum(sum(table["x"].to_pylist()) for table in tables)
        Path(self.folder, f"{unit}.txt").write_text(str(total))


SCRIPT = """
from tests.curation.engine.run.test_execution import Doubles
from curation.core.errors import InputError, WinnowError
from curation.engine.run.execution import run
from curation.engine.run.work import Unit
from curation.engine.run.session import Session
import sys
with Session(cpus=2) as session:
    session.start()
    run(Doubles(sys.argv[1]), [Unit(number, blocks) for number, blocks in ((5, 2), (1, 0), (3, 1))])
    for error in (ZeroDivisionError, InputError):
        try:
            run(Doubles(sys.argv[1], error), [Unit(3, 1), Unit(4, 1)])
        except WinnowError as caught:
            print(type(caught).__name__, caught, bool(caught.details))
"""


def test_units_run_once_each_and_errors_are_clear(tmp_path: Path) -> None:
    done = python(SCRIPT, str(tmp_path))
    assert done.returncode == 0, done.stderr
    totals = {path.stem: int(path.read_text()) for path in tmp_path.glob("*.txt")}
    assert {key: totals[key] for key in ("5", "1", "3")} == {"5": 2 * (4950 + 5050), "1": 0, "3": 2 * 4950}
    assert done.stdout.splitlines() == [
        "StageError a task failed: ZeroDivisionError: unit 3 is broken True",
        "InputError unit 3 is broken False",
    ]
    assert "Traceback" not in done.stderr


def test_root_cause_follows_the_chain() -> None:
    try:
        try:
            raise InputError("inner")
        except InputError as inner:
            raise RuntimeError("outer") from inner
    except RuntimeError as outer:
        found: WinnowError = root_cause(outer)
    assert type(found) is InputError
    assert str(found) == "inner"
    with pytest.raises(StageError, match="KeyError"):
        raise root_cause(KeyError("x"))


def test_advice_of_ray_is_no_part_of_the_cause() -> None:
    error = OSError(28, "No space left on device", "Failed to apply UDF transform after 1/1 attempts")
    assert str(root_cause(error)) == "a task failed: OSError: [Errno 28] No space left on device"
