"""The engine without Ray: steps and fits run in the test's own process, so a whole run takes a fraction of a second."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from curation.engine.run import context
from curation.engine.run.attempts import Listener
from curation.engine.run.session import Session
from curation.engine.run.unit_task import Failure, run_unit
from curation.engine.run.work import Unit, Work
from tests.takedowns import sources as sources
from tests.takedowns import taken_run as taken_run


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[int]]]:
    """Puts plain calls in Ray's place; fills with (step, unit numbers) as they run."""
    seen: list[tuple[str, list[int]]] = []

    def run(work: Work, units: Sequence[Unit], listener: Listener) -> list[Failure]:
        seen.append((type(work).__name__, [unit.number for unit in units]))
        failures = []
        for unit in units:
            result = run_unit(work, replace(unit, last=True), "here")
            if isinstance(result, Failure):
                if result.setup is not None:
                    raise result.setup
                failures.append(result)
            else:
                listener.commit(result)
        return failures

    monkeypatch.setattr(context, "run", run)
    monkeypatch.setattr(Session, "start", lambda self: None)
    monkeypatch.setattr(Session, "nodes", lambda self: [{"Resources": {"CPU": 1, "memory": 4 << 30}}])
    return seen
