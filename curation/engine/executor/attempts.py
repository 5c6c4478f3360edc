"""Runs the units of a step: each is tried up to ATTEMPTS times, on other nodes and with more memory where that may
help; units that fail even then are named.

A unit whose process died is searched for the documents that kill it, by halving the unit, or for the input files that
already reading kills it with; each part runs in a task of its own. A unit that takes far longer than
the others is run a second time beside the first; the first commit counts, and both leave the same bytes.
"""

import statistics
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue

from curation.core.commits import Commit
from curation.core.credentials import masked
from curation.core.errors import WinnowError
from curation.core.needs import Needs
from curation.engine.executor.executor import Listener
from curation.engine.executor.failures import Failure, described, report
from curation.engine.executor.ray_data import Execution, ExecutionEnd, Result, death
from curation.engine.executor.ray_nodes import alive_nodes, can_hold, cluster_cores
from curation.engine.executor.work import WHOLE, ReadsFiles, Searchable, Unit, Work, wave_units

ATTEMPTS = 4
SLOW = 10  # times the median of the finished units …
SLOW_SECONDS = 60.0  # … and at least so long, before a unit is started a second time
CRASHES_SEARCHED = 2  # deaths of a unit's process before its documents are searched
MOST = 32  # documents to find in one unit
PAUSE = 0.5  # seconds before the second attempt, twice as many before each further one


def run(work: Work, units: Sequence[Unit], listener: Listener) -> list[Failure]:
    """As `Executor.run`, on the Ray that this process is connected to."""
    failed: list[Failure] = []
    wave = wave_units(cluster_cores())
    for start in range(0, len(units), wave):
        failed += _Wave(work, units[start : start + wave], listener).run()
    return failed


class _Wave:
    """Units that run together, and the state of each."""

    def __init__(self, work: Work, units: Sequence[Unit], listener: Listener) -> None:
        self._work = work
        self._listener = listener
        self._needs = work.needs
        self._left = {unit.number: unit for unit in units}
        self._failures: dict[int, Failure] = {}  # the last failure of each unit
        self._crashes = Counter[int]()
        self._bad_nodes: set[str] = set()
        self._seconds: list[float] = []  # that each finished unit took
        self._number = 0  # of the current attempt

    def run(self) -> list[Failure]:
        for attempt in range(1, ATTEMPTS + 1):
            self._number = attempt
            if attempt > 1:
                self._prepare()
                time.sleep(min(PAUSE * 2 ** (attempt - 2), 30.0))
            self._attempt([replace(unit, last=attempt == ATTEMPTS) for unit in self._left.values()])
            if not self._left:
                break
        return [self._failures[number] for number in sorted(self._left)]

    def _prepare(self) -> None:
        """Asks for more memory where it ran out, and searches units that killed their process for the document."""
        if any(self._failures[number].out_of_memory for number in self._left):
            largest = max((node["Resources"].get("memory", 0) for node in alive_nodes()), default=0)
            self._needs = replace(self._needs, memory=int(min(self._needs.memory * 2, largest)))
        for number, unit in self._left.items():
            if self._crashes[number] >= CRASHES_SEARCHED:
                self._listener.note(f"unit {number} has killed {CRASHES_SEARCHED} workers; searching for the cause")
                crashed = culprits(self._work, unit, self._needs)
                for row, key in crashed:
                    said = f"row {row} of unit {number} kills {key}; it is dropped as an error"
                    self._listener.note(said if row != WHOLE else f"reading {masked(key)} kills the process")
                self._left[number] = replace(unit, crashed=tuple(sorted({*unit.crashed, *crashed})))
                self._crashes[number] = 0

    def _attempt(self, units: Sequence[Unit]) -> None:
        results: SimpleQueue[Result] = SimpleQueue()
        running = [self._execution(units, results)]
        started = 1
        failed: set[int] = set()
        deaths: list[str] = []
        heard = time.monotonic()
        try:
            while running and (started == 1 or self._left.keys() - failed):
                try:
                    result = results.get(timeout=1.0)
                except Empty:
                    slow = [unit for number, unit in self._left.items() if number not in failed]
                    if started == 1 and self._is_slow(slow, time.monotonic() - heard):
                        running.append(self._execution(slow, results))
                        started += 1
                    continue
                heard = time.monotonic()
                if isinstance(result, ExecutionEnd):
                    running.remove(result.execution)
                    deaths += result.deaths
                    if result.error is not None:
                        raise result.error
                elif isinstance(result, Commit):
                    self._finish(result)
                else:
                    failed.add(result.unit)
                    self._fail(result)
        finally:
            for execution in running:
                execution.stop()
            self._keep(results)
        for number in self._left.keys() - failed:
            self._fail(death(number, deaths))

    def _execution(self, units: Sequence[Unit], results: "SimpleQueue[Result]") -> Execution:
        able = {node["NodeID"] for node in alive_nodes() if can_hold(node, self._needs)} if self._bad_nodes else set()
        avoid = sorted(self._bad_nodes) if able - self._bad_nodes else ()
        return Execution(self._work, units, results, self._needs, avoid)

    def _is_slow(self, units: Sequence[Unit], waited: float) -> bool:
        """Whether only these units are left and take far too long; notes it if so."""
        if not units or len(self._seconds) < 3 or len(units) > cluster_cores():
            return False
        if waited < max(SLOW_SECONDS, SLOW * statistics.median(self._seconds)):
            return False
        names = ", ".join(f"{unit.number} ({described(unit)})" for unit in units)
        self._listener.note(f"{waited:.0f} s is far longer than other units took; started a second time: unit {names}")
        return True

    def _finish(self, commit: Commit) -> None:
        if self._left.pop(commit.unit, None) is not None:
            self._seconds.append(commit.seconds)
            self._listener.commit(commit)

    def _keep(self, results: "SimpleQueue[Result]") -> None:
        """Keeps commits that came in while the attempt was ending, as at a signal: these units need not run again."""
        with suppress(Empty, WinnowError):
            while True:
                result = results.get_nowait()
                if isinstance(result, Commit):
                    self._finish(result)

    def _fail(self, failure: Failure) -> None:
        if failure.unit in self._left:
            last = self._failures.get(failure.unit)
            before = () if last is None else (*last.before, f"{last.place}: {last.error}")
            failure = replace(failure, attempt=self._number, before=before)
            if failure.setup is not None:
                raise type(failure.setup)(str(failure.setup), report(failure, self._left[failure.unit]))
            self._failures[failure.unit] = failure
            self._crashes[failure.unit] += failure.crashed
            if not failure.out_of_memory:
                self._bad_nodes.update({failure.node} - {""})
            self._listener.retry(failure)


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
