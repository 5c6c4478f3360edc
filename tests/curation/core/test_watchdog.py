"""The limits of work, and what a piece of work without them costs: nothing happens."""

import os
import time

import pytest

from curation.core.watchdog import (
    Overrun,
    Watchdog,
    WatchedWork,
    WorkLimits,
    advance,
    open_piece,
    unhurried,
)


class Work(WatchedWork):
    def ending(self) -> dict[str, object]:
        return {"folder": "", "line": "ended"}


def busy(seconds: float) -> str:
    began = time.thread_time()
    while time.thread_time() - began < seconds:
        pass
    return "done"


SHORT = WorkLimits(seconds=0.1, memory=1 << 30)


def test_work_within_its_limits_gives_its_result_and_its_errors() -> None:
    with Watchdog() as watchdog:
        assert watchdog.run(lambda: busy(0.01), Work(SHORT)) == "done"
        with pytest.raises(ZeroDivisionError):
            watchdog.run(lambda: 1 // 0, Work(SHORT))
        with pytest.raises(Overrun, match="exceeded the limit on processor time"):
            watchdog.run(lambda: busy(20), Work(SHORT))
        assert watchdog.run(lambda: busy(0.01), Work(SHORT)) == "done", "what was interrupted is over"
        assert open_piece() is None


def test_work_that_advances_may_go_on() -> None:
    def work() -> str:
        for _ in range(10):
            busy(0.05)
            advance()
        return "done"

    with Watchdog() as watchdog:
        assert watchdog.run(work, Work(WorkLimits(seconds=0.3, memory=1 << 30))) == "done"


def test_unhurried_work_has_no_deadline() -> None:
    def work() -> str:
        with unhurried():
            busy(0.5)
        return "done"

    with Watchdog() as watchdog:
        assert watchdog.run(work, Work(SHORT)) == "done"
    with unhurried():
        advance()
        assert open_piece() is None, "nobody watches"


def test_what_cannot_be_written_down_is_not_interrupted() -> None:
    class FullDisk(Work):
        def note(self, cause: str) -> None:
            raise OSError(28, "No space left on device")

    with Watchdog() as watchdog:
        piece = FullDisk(SHORT)
        assert watchdog.run(lambda: busy(0.5), piece) == "done"
        assert piece.cause is None
    assert WorkLimits().words("memory") == "more than 2,048 MiB of memory"


def test_a_child_of_a_fork_leaves_its_parents_watch_alone() -> None:
    """They share the watcher's memory."""
    with Watchdog() as watchdog:
        watchdog.resume(Work(SHORT))
        before = list(watchdog.slots)
        child = os.fork()
        if not child:
            advance()
            os._exit(open_piece() is not None)
        assert os.waitpid(child, 0)[1] == 0
        assert list(watchdog.slots) == before
        watchdog.pause()
