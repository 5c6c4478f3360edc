"""An executor for tests that ask what was run, and what was not."""

from collections.abc import Sequence

from curation.engine.executor.executor import Listener
from curation.engine.executor.failures import Failure
from curation.engine.executor.inline import Inline
from curation.engine.executor.work import Unit, Work


class Noting(Inline):
    """Inline, with a note of each step that had units to run: its class, and the numbers of the units."""

    def __init__(self) -> None:
        self.ran: list[tuple[str, list[int]]] = []

    def run(self, work: Work, units: Sequence[Unit], listener: Listener) -> list[Failure]:
        self.ran.append((type(work).__name__, [unit.number for unit in units]))
        return super().run(work, units, listener)
