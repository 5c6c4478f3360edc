"""The engine without Ray: steps and fits run in the test's own process, so a whole run takes a fraction of a second."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
import ray.exceptions

from curation.engine.run import context, fit
from curation.engine.run.session import Session
from curation.engine.run.work import Unit, Work
from tests.curation.engine.inputs import run_here
from tests.takedowns import sources as sources
from tests.takedowns import taken_run as taken_run


class _Remote:
    """What `ray.remote` gives, as a plain call."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.remote = function


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[int]]]:
    """Puts plain calls in Ray's place; fills with (step, unit numbers) as they run."""
    seen: list[tuple[str, list[int]]] = []

    def run(work: Work, units: Sequence[Unit]) -> None:
        seen.append((type(work).__name__, [unit.number for unit in units]))
        for unit in units:
            run_here(work, unit)

    fake = SimpleNamespace(remote=lambda **_: _Remote, get=lambda value: value, exceptions=ray.exceptions)
    monkeypatch.setattr(context, "run", run)
    monkeypatch.setattr(fit, "ray", fake)
    monkeypatch.setattr(Session, "start", lambda self: None)
    return seen
