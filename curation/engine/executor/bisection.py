"""Finds the documents of a unit that kill the process, by halving the unit, or the input files that already reading
kills it with; each part runs in a task of its own."""

from dataclasses import dataclass
from queue import SimpleQueue

from curation.core.commits import Commit
from curation.core.needs import Needs
from curation.engine.executor.ray_data import Execution, ExecutionEnd, Result
from curation.engine.executor.work import WHOLE, ReadsFiles, Searchable, Unit, Work

MOST = 32  # documents to find in one unit


@dataclass(frozen=True)
class _Probe:
    """Shows rows [start, stop) of its unit to the step's components."""

    work: Searchable
    start: int
    stop: int
    key: str | None

    @property
    def needs(self) -> Needs:
        return self.work.needs

    def run(self, unit: Unit) -> Commit:
        rows = self.work.probe(unit, self.start, self.stop, self.key)
        return Commit(unit.number, (), counts={"rows": rows})


def culprits(work: Work, unit: Unit, needs: Needs) -> list[tuple[int, str]]:
    """(row, key of the component) of each document that kills the process; (WHOLE, path) of each input file that does
    so when it is read; none where no single one does."""
    if not isinstance(work, Searchable):
        return []

    def rows(start: int, stop: int, key: str | None = None, part: Unit = unit) -> int | None:
        """How many rows the unit has; None where the process died on rows [start, stop), or the probe failed."""
        results: SimpleQueue[Result] = SimpleQueue()
        Execution(_Probe(work, start, stop, key), [part], results, needs)
        count = None
        while not isinstance(result := results.get(), ExecutionEnd):
            if isinstance(result, Commit):
                count = result.counts["rows"]
        return count

    total = rows(0, 0)
    if total is None and isinstance(work, ReadsFiles):
        return [(WHOLE, path) for path, part in work.files(unit) if rows(0, 0, part=part) is None]
    crashed: list[tuple[int, str]] = []
    first = 0
    while total is not None and first < total and len(crashed) < MOST and rows(first, total) is None:
        start = first
        stop = total
        while stop - start > 1:
            middle = (start + stop) // 2
            if rows(start, middle) is None:
                stop = middle
            else:
                start = middle
        keys = [key for key in work.keys if rows(start, stop, key) is None]
        if not keys:
            break
        crashed.append((start, keys[0]))
        first = stop
    return crashed
