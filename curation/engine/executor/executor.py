"""The one seam between the engine and the place where it works."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, Self

from curation.core.commits import Commit
from curation.core.component import Components
from curation.core.energy import Reading
from curation.core.progress import Progress
from curation.engine.executor.failures import Failure
from curation.engine.executor.work import Unit, Work


@dataclass(frozen=True)
class Listener:
    """Called while units run: `commit` with each finished unit, `retry` with each failed attempt, `note` with text.

    So many units as `spare` says may fail without ending the step.
    """

    commit: Callable[[Commit], None]
    retry: Callable[[Failure], None] = lambda failure: None
    note: Callable[[str], None] = lambda text: None
    spare: int = 0


class Executor(Protocol):
    """A place where units are run, as a context: leaving it stops what it has started."""

    @property
    def cores(self) -> int:
        """Cores that share the units; known once it has started."""

    def check(self, components: Components) -> None:
        """Raises before any work what cannot run here: RecipeError for a component that needs more than there is,
        InputError where something is missing."""

    def start(self) -> None:
        """Makes it ready to run units; may be called any number of times."""

    def run(self, work: Work, units: Sequence[Unit], listener: Listener) -> list[Failure]:
        """Runs every unit and returns the last failure of each that failed in all attempts, in the order of the units.

        Raises an error that concerns the set-up at once, and so whatever `listener.commit` raises.
        """

    def energy(self) -> Reading:
        """Joules that the machines have used since some moment, by each of their counters."""

    def metrics(self, run: str) -> AbstractContextManager[Callable[[Progress], None]]:
        """A context that exports the figures of the run in this folder; give it each progress."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *raised: object) -> None: ...
