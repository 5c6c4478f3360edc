"""Runs units in this process, one after the other, so that breakpoints work and an error has a plain traceback.

It knows nothing of Ray, and what it writes is what Ray's workers would write.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

from curation.core.commits import Commit
from curation.core.component import Components
from curation.core.progress import Progress
from curation.engine.executor.executor import Listener
from curation.engine.executor.failures import Failure, described, failure_of, finished
from curation.engine.executor.work import Unit, Work


class Inline:
    """Runs each unit once. What a component needs of a node is not checked: the unit has what the process has."""

    cores = 1

    def check(self, components: Components) -> None:
        """Refuses nothing."""

    def start(self) -> None:
        """Does nothing: the process is there."""

    def run(self, work: Work, units: Sequence[Unit], listener: Listener) -> list[Failure]:
        """The failures, `listener.spare` at most: the error of the next one is raised as it is."""
        failures: list[Failure] = []
        for unit in units:
            result = self._attempt(work, unit, raises=len(failures) == listener.spare)
            if isinstance(result, Commit):
                listener.commit(result)
            else:
                listener.retry(result)
                failures.append(result)
        return failures

    def metrics(self, run: str) -> AbstractContextManager[Callable[[Progress], None]]:
        """Exports nothing."""
        return nullcontext(lambda progress: None)

    def __enter__(self) -> "Inline":
        return self

    def __exit__(self, *raised: object) -> None:
        """Nothing was started."""

    def _attempt(self, work: Work, unit: Unit, *, raises: bool) -> Commit | Failure:
        try:
            return finished(work, replace(unit, last=True))
        except Exception as error:
            failure = failure_of(unit, error, "here")
            if raises or failure.setup is not None:
                error.add_note(f"in unit {unit.number}, {described(unit)}")
                raise
            return replace(failure, attempt=1)
