"""A run has the same bytes wherever its units are run. `Inline` runs one unit after the other, once; an error is raised
as it is, unless the step can do without the unit."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from curation.core.commits import Commit
from curation.core.errors import InputError
from curation.engine.executor.executor import Executor, Listener
from curation.engine.executor.failures import Failure
from curation.engine.executor.inline import Inline
from curation.engine.executor.on_ray import OnRay
from curation.engine.executor.work import Cheap, Unit
from tests.curation.engine.inputs import write_sources
from tests.runs import ENVIRONMENT, data_hashes, python, winnow

INLINE = """
import sys
from pipelines.cli import main
sys.argv = ["winnow", "curate", sys.argv[1], "--output", sys.argv[2], "--inline"]
try:
    main()
except SystemExit as end:
    assert end.code == 0, end.code
print(sorted({name.partition(".")[0] for name in sys.modules} & {"ray"}))
"""


@pytest.mark.slow
def test_equal_bytes_and_no_ray(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The recipe has a dedup, a fit, and what comes after them. `--inline` overrules an address."""
    recipe = tmp_path / "joined.yaml"
    recipe.write_text(write_sources(tmp_path))
    done = winnow("curate", recipe, "--output", tmp_path / "ray", "--cpus", "2")
    assert done.returncode == 0, done.stderr
    monkeypatch.setitem(ENVIRONMENT, "RAY_ADDRESS", "nowhere:1")
    done = python(INLINE, str(recipe), str(tmp_path / "inline"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"
    assert data_hashes(tmp_path / "inline") == data_hashes(tmp_path / "ray") != {}


@pytest.mark.parametrize("executor", [Inline(), OnRay()])
def test_an_executor_is_a_context_that_may_have_nothing_to_do(executor: Executor) -> None:
    with executor as place:
        assert place.cores == 1
        place.check(())


BUG = ZeroDivisionError("a bug")


@dataclass(frozen=True)
class Raises(Cheap):
    """Raises what its units hold."""

    def run(self, unit: Unit) -> Commit:
        assert unit.last
        if isinstance(unit.payload, Exception):
            raise unit.payload
        return Commit(unit.number, ())


def run(*payloads: object, spare: int = 0) -> tuple[list[int], list[int], list[Failure]]:
    """Units that were done and that were tried in vain, and the failures."""
    done: list[int] = []
    tried: list[int] = []
    listener = Listener(
        lambda commit: done.append(commit.unit), lambda failure: tried.append(failure.unit), spare=spare
    )
    units = [Unit(number, payload) for number, payload in enumerate(payloads)]
    return done, tried, Inline().run(Raises(), units, listener)


def test_every_unit_in_order() -> None:
    assert run("a", "b", "c") == ([0, 1, 2], [], [])


def test_an_error_is_raised_as_it_is_with_the_unit_s_name() -> None:
    with pytest.raises(ZeroDivisionError) as raised:
        run("a", BUG, "c")
    assert raised.value is BUG
    assert raised.value.__notes__ == ["in unit 1, a bug"]
    assert raised.traceback[-1].name == "run"


def test_what_a_step_can_do_without_is_passed_over() -> None:
    done, tried, failures = run("a", OSError(5, "disk"), "c", spare=1)
    assert (done, tried) == ([0, 2], [1])
    assert [(one.unit, one.attempt, one.error) for one in failures] == [(1, 1, "OSError: [Errno 5] disk")]
    with pytest.raises(OSError, match="second"):
        run(OSError(5, "first"), OSError(5, "second"), spare=1)


def test_what_is_wrong_with_the_set_up_is_never_passed_over() -> None:
    with pytest.raises(InputError, match="gone"):
        run(InputError("gone"), spare=9)
