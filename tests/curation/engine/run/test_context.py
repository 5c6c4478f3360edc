"""A step runs the units that have no commit, and fails or goes on without those that fail in all attempts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from curation.core.commits import COMMITS, Commit
from curation.core.errors import StageError
from curation.core.progress import Progress
from curation.engine.executor.executor import Executor, Listener
from curation.engine.executor.failures import Failure
from curation.engine.executor.inline import Inline
from curation.engine.executor.work import Cheap, Unit, Work
from curation.engine.recipe.options import StageOptions
from curation.engine.run.context import Context, run_step
from curation.engine.run.progress import Watch
from tests.noting import Noting


@dataclass(frozen=True)
class Writes(Cheap):
    """Commits its units; on some the disk fails."""

    but: tuple[int, ...] = ()

    def run(self, unit: Unit) -> Commit:
        if unit.number in self.but:
            raise OSError(5, "Input/output error")
        return Commit(unit.number, (), counts={"unit": unit.number})


@dataclass(frozen=True)
class CanLose(Writes):
    def empty(self, unit: Unit) -> Commit:
        return Commit(unit.number, ())


class GivesBack(Inline):
    """Returns the failures of all units, as where they may be tried elsewhere."""

    def run(self, work: Work, units: Sequence[Unit], listener: Listener) -> list[Failure]:
        return super().run(work, units, replace(listener, spare=len(units)))


def step(
    folder: Path, work: Writes, told: list[Progress] | None = None, *, executor: Executor | None = None, **options: Any
) -> tuple[Commit, ...]:
    context: Any = SimpleNamespace(
        folder=str(folder),
        node=SimpleNamespace(name="dedup", stage=SimpleNamespace(options=StageOptions(**options))),
        rows_to_read=None,
        executor=executor or Inline(),
    )
    watch = Watch("dedup", (told if told is not None else []).append)
    units = [Unit(number, f"input-{number}") for number in range(4)]
    return run_step(cast(Context, context), watch, "step", work, units, COMMITS)


def test_only_what_is_missing_runs(tmp_path: Path) -> None:
    noting = Noting()
    with pytest.raises(OSError, match="Input/output error"):
        step(tmp_path, Writes((1, 3)))
    assert [one.counts["unit"] for one in step(tmp_path, Writes(), executor=noting)] == [0, 1, 2, 3]
    step(tmp_path, Writes(), executor=noting)
    assert noting.ran == [("Writes", [1, 2, 3])]


def test_units_that_failed_in_all_attempts_are_named(tmp_path: Path) -> None:
    message = "unit 1 of step 'step' failed 1 time, and 1 more units: OSError.*its input is input-1; mend the cause"
    with pytest.raises(StageError, match=message) as failed:
        step(tmp_path, Writes((1, 3)), executor=GivesBack())
    assert "Traceback" in failed.value.details


@pytest.mark.parametrize(("executor", "error"), [(Inline(), OSError), (GivesBack(), StageError)])
def test_a_stage_may_be_sealed_without_some_units(tmp_path: Path, executor: Executor, error: type[Exception]) -> None:
    with pytest.raises(error):
        step(tmp_path, CanLose((1, 3)), executor=executor, max_failed_units=1)
    told: list[Progress] = []
    commits = step(tmp_path, CanLose((1, 3)), told, executor=executor, max_failed_units=2)
    lost = {"unit": 3, "input": "input-3", "error": "OSError: [Errno 5] Input/output error"}
    assert commits[3].extra["lost"] == lost
    assert [one.note for one in told if one.note][1].startswith("sealed without unit 3, input-3: OSError")
    with pytest.raises(error):  # a step that nothing can do without
        step(tmp_path / "other", Writes((1,)), executor=executor, max_failed_units=9)
