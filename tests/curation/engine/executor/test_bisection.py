"""The documents that kill are found whatever their number and place; deaths here are raised by a stand-in."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import cast

import pytest

from curation.core.commits import Commit
from curation.core.needs import Needs
from curation.engine.executor import attempts
from curation.engine.executor.attempts import culprits
from curation.engine.executor.ray_data import Execution, ExecutionEnd, Result
from curation.engine.executor.work import WHOLE, Cheap, Unit, Work


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
    class Whole(Cheap):
        def run(self, unit: Unit) -> Commit:
            raise AssertionError

    assert culprits(Whole(), Unit(0, None), Needs()) == []
