"""Runs units in this process, one after the other, so that breakpoints work and an error has a plain traceback.

It knows nothing of Ray, and what it writes is what Ray's workers would write.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cached_property

from curation.core.component import Components
from curation.core.energy import Reading
from curation.core.energy_meter import EnergyMeter
from curation.core.progress import Progress
from curation.engine.executor.executor import Listener
from curation.engine.executor.failures import Failure, described, failure_of, finished
from curation.engine.executor.work import Unit, Work


class Inline:
    """Runs each unit once. What a component needs of a node is not checked: the unit has what the process has."""

    cores = 1

    @cached_property
    def _meter(self) -> EnergyMeter:
        return EnergyMeter()

    def check(self, components: Components) -> None:
        """Refuses nothing."""

    def start(self) -> None:
        """Does nothing: the process is there."""

    def run(self, work: Work, units: Sequence[Unit], listener: Listener) -> list[Failure]:
        """The failures, `listener.spare` at most: the error of the next one is raised as it is."""
        failures: list[Failure] = []
        for unit in units:
            try:
                commit = finished(work, replace(unit, last=True))
            except Exception as error:
                failure = replace(failure_of(unit, error, "here"), attempt=1)
                if len(failures) == listener.spare or failure.setup is not None:
                    error.add_note(f"in unit {unit.number}, {described(unit)}")
                    raise
                listener.retry(failure)
                failures.append(failure)
            else:
                listener.commit(commit)
        return failures

    def energy(self) -> Reading:
        """Of this machine."""
        return self._meter.read()

    def metrics(self, run: str) -> AbstractContextManager[Callable[[Progress], None]]:
        """Exports nothing."""
        return nullcontext(lambda progress: None)

    def __enter__(self) -> "Inline":
        return self

    def __exit__(self, *raised: object) -> None:
        """Nothing was started."""
