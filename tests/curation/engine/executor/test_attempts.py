"""How often a unit is tried, where and with what, and that documents that kill are found; executions here are plain
calls that answer from a script, deaths are raised by a stand-in."""

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import cast

import pytest

from curation.core.commits import Commit
from curation.core.errors import InputError
from curation.core.needs import Needs
from curation.engine.executor import attempts
from curation.engine.executor.attempts import culprits
from curation.engine.executor.executor import Listener
from curation.engine.executor.failures import Failure
from curation.engine.executor.ray_data import Execution, ExecutionEnd, Result
from curation.engine.executor.work import WHOLE, Cheap, Unit, Work


@dataclass
class Script:
    """What each attempt at a unit gives, in turn; "died" is a process that is gone, None a commit."""

    answers: dict[int, list[Failure | str | None]]
    seen: list[tuple[list[int], Needs, tuple[str, ...]]] = field(default_factory=list)
    last: list[bool] = field(default_factory=list)
    deaths: tuple[str, ...] = ("WorkerCrashedError",)

    def __call__(
        self,
        work: object,
        units: Sequence[Unit],
        results: "SimpleQueue[Result]",
        needs: Needs,
        avoid: Sequence[str] = (),
    ) -> "Script":
        self.seen.append(([unit.number for unit in units], needs, tuple(avoid)))
        self.last.append(any(unit.last for unit in units))
        died = False
        for unit in units:
            answer = self.answers.get(unit.number, [None]).pop(0) if self.answers.get(unit.number) else None
            died |= answer == "died"
            if answer is None:
                results.put(Commit(unit.number, ()))
            elif isinstance(answer, Failure):
                results.put(answer)
        results.put(ExecutionEnd(self, self.deaths if died else ()))  # type: ignore[arg-type]
        return self

    def stop(self) -> None: ...


class Nothing(Cheap):
    def run(self, unit: Unit) -> Commit:
        raise AssertionError("the script answers")


def run(script: Script, monkeypatch: pytest.MonkeyPatch, units: int = 3) -> tuple[list[int], list[Failure], list[str]]:
    monkeypatch.setattr(attempts, "Execution", script)
    monkeypatch.setattr(attempts, "PAUSE", 0.0)
    node = {"Alive": True, "Resources": {"memory": 3 << 30, "CPU": 2}}
    monkeypatch.setattr(attempts, "alive_nodes", lambda: [{**node, "NodeID": "n1"}, {**node, "NodeID": "n2"}])
    done: list[int] = []
    told: list[str] = []
    listener = Listener(
        lambda commit: done.append(commit.unit), lambda failure: told.append(failure.error), told.append
    )
    return done, attempts.run(Nothing(), [Unit(n, f"input-{n}") for n in range(units)], listener), told


def test_a_unit_is_tried_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script({1: [Failure(1, "OSError: disk", node="n1"), Failure(1, "OSError: disk", node="n2")]})
    done, failures, told = run(script, monkeypatch)
    assert (done, failures, told) == ([0, 2, 1], [], ["OSError: disk"] * 2)
    assert [(numbers, avoid) for numbers, _, avoid in script.seen] == [([0, 1, 2], ()), ([1], ("n1",)), ([1], ())]


def test_four_attempts_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script({1: [Failure(1, f"OSError: {n}") for n in range(9)]})
    done, failures, told = run(script, monkeypatch)
    assert (done, len(told), script.last) == ([0, 2], 4, [False, False, False, True])
    assert [one.error for one in failures] == ["OSError: 3"]


def test_memory_grows_after_it_ran_out(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script({0: [Failure(0, "MemoryError", out_of_memory=True)] * 3})
    run(script, monkeypatch)
    assert [needs.memory >> 30 for _, needs, _ in script.seen] == [1, 2, 3, 3]
    killed = Script({0: ["died"]}, deaths=("OutOfMemoryError",))
    _, _, told = run(killed, monkeypatch)
    assert [needs.memory >> 30 for _, needs, _ in killed.seen] == [1, 2]
    assert told == ["its worker died: OutOfMemoryError"]


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ((7, "exact"), "row 7 of unit 1 kills exact; it is dropped as an error"),
        ((WHOLE, "s3://me:secret@b/a.warc"), "reading s3://***@b/a.warc kills the process"),
    ],
)
def test_a_unit_that_kills_twice_is_searched(
    monkeypatch: pytest.MonkeyPatch, found: tuple[int, str], said: str
) -> None:
    searched = defaultdict[int, list[tuple[int, str]]](list, {1: [found]})
    monkeypatch.setattr(attempts, "culprits", lambda work, unit, needs: searched[unit.number])
    script = Script({1: ["died", "died", None]})
    done, failures, told = run(script, monkeypatch)
    assert (done, failures) == ([0, 2, 1], [])
    assert told[2:] == ["unit 1 has killed 2 workers; searching for the cause", told[3]]
    assert told[3] == said


def test_every_attempt_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script({1: [Failure(1, "OSError: disk", node="n1"), "died", *[Failure(1, "OSError: disk")] * 2]})
    _, (failure,), _ = run(script, monkeypatch)
    assert failure.before == (
        "attempt 1 on node n1: OSError: disk",
        "attempt 2 on node unknown: its worker died: WorkerCrashedError",
        "attempt 3 on node unknown: OSError: disk",
    )
    assert failure.attempt == 4


def test_what_is_wrong_with_the_set_up_stops_all_and_names_the_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    setup = InputError("gone", "Traceback …")
    script = Script({1: [Failure(1, "InputError: gone", "Traceback …", "n1", setup=setup)]})
    with pytest.raises(InputError) as raised:
        run(script, monkeypatch)
    assert raised.value.details == "unit 1, input-1\nattempt 1 on node n1: InputError: gone\nTraceback …"
    assert len(script.seen) == 1


@dataclass(frozen=True)
class Deadly(Cheap):
    """A unit of rows of which some kill one component each."""

    rows: int
    kills: dict[int, str]
    keys: tuple[str, ...] = ("exact", "line")

    def run(self, unit: Unit) -> Commit:
        raise AssertionError("only probed")

    def probe(self, unit: Unit, start: int, stop: int, key: str | None) -> int:
        if any(start <= row < stop and key in (None, own) for row, own in self.kills.items()):
            raise SystemExit("killed")
        return self.rows


@pytest.fixture
def probes(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    seen: list[object] = []

    def execute(probe: Work, units: Sequence[Unit], results: "SimpleQueue[Result]", needs: Needs) -> None:
        seen.append(probe)
        with suppress(SystemExit):
            results.put(probe.run(*units))
        results.put(ExecutionEnd(cast(Execution, None)))

    monkeypatch.setattr(attempts, "Execution", execute)
    return seen


@pytest.mark.parametrize(
    "kills", [{}, {0: "exact"}, {999: "line"}, {3: "line", 4: "exact"}, {0: "line", 500: "exact", 999: "line"}]
)
def test_each_culprit_is_found(probes: list[object], kills: dict[int, str]) -> None:
    assert culprits(Deadly(1000, kills), Unit(0, None), Needs()) == sorted(kills.items())
    assert len(probes) <= 2 + 15 * len(kills)


def test_a_unit_that_cannot_even_be_read(probes: list[object]) -> None:
    class Unreadable(Deadly):
        def probe(self, unit: Unit, start: int, stop: int, key: str | None) -> int:
            raise SystemExit

    assert culprits(Unreadable(10, {}), Unit(0, None), Needs()) == []


def test_a_file_that_kills_whoever_reads_it(probes: list[object]) -> None:
    class Reading(Deadly):
        def probe(self, unit: Unit, start: int, stop: int, key: str | None) -> int:
            if "bad" in unit.payload:
                raise SystemExit
            return 1

        def files(self, unit: Unit) -> list[tuple[str, Unit]]:
            return [(path, Unit(unit.number, (path,))) for path in unit.payload]

    assert culprits(Reading(1, {}), Unit(0, ("a", "bad", "b")), Needs()) == [(WHOLE, "bad")]


def test_steps_that_cannot_be_searched() -> None:
    assert culprits(Nothing(), Unit(0, None), Needs()) == []
