"""A sink on a thread of its own, so that no service can hold a training up or end it.

A service may hang, refuse, be slow or die. Then its numbers are left out and counted, and a line says so; metrics.jsonl
has all of them anyway. Everything that a service's package does happens on the one thread, as MLflow asks.
"""

import logging
from collections import deque
from collections.abc import Callable
from queue import Full, Queue
from threading import Event, Thread
from typing import NamedTuple

from curation.core.credentials import masked
from curation.core.printable import printable
from training.metrics.records import Record

log = logging.getLogger(__name__)
OPENING = 60.0  # seconds that a service may take to begin a run
CLOSING = 60.0  # … and to take the last numbers when the training has ended
WAITING = 1000  # records that wait for a slow service; the next ones are left out


class Sink(NamedTuple):
    """An open service."""

    write: Callable[[Record], object]
    close: Callable[[], object]
    run: str = ""  # its name for the run; "": it needs none to go on


class SinkThread:
    """Opens a sink by `begin` and passes records on to it."""

    def __init__(self, name: str, begin: Callable[[], Sink]) -> None:
        self._name = name
        self._begin = begin
        self._waiting: Queue[Record | None] = Queue(WAITING)
        self._news: deque[str] = deque()
        self._opened = Event()
        self._failed = False
        self._late = False
        self._left_out = 0
        self.run = ""  # the service's name for the run, once it is open
        # A hanging one ends with the process.
        self._thread = Thread(target=self._work, name=f"sink {name}", daemon=True)
        self._thread.start()
        if not self._opened.wait(OPENING):
            self._fail(f"did not begin within {OPENING:g} s")

    def write(self, record: Record) -> None:
        """Returns at once."""
        if not self._failed:
            try:
                return self._waiting.put_nowait(record)
            except Full:
                if not self._late:
                    self._tell(f"is {WAITING:,} records behind; what finds no room is left out")
                self._late = True
        self._left_out += 1

    def news(self) -> list[str]:
        """Lines on what has gone wrong since the last call."""
        return [self._news.popleft() for _ in range(len(self._news))]

    def close(self) -> None:
        """Waits up to CLOSING for what the service has not taken yet."""
        if not self._failed:
            try:
                self._waiting.put(None, timeout=CLOSING)
            except Full:
                self._fail(f"took nothing for {CLOSING:g} s")
            self._thread.join(CLOSING)
            if self._thread.is_alive() and not self._failed:
                self._fail(f"did not end within {CLOSING:g} s")
        if self._left_out:
            self._tell(f"lacks {self._left_out:,} records, which metrics.jsonl has")

    def _work(self) -> None:
        try:
            sink = self._begin()
            self.run = sink.run
            self._opened.set()
            while (record := self._waiting.get()) is not None:
                if self._failed:
                    return
                sink.write(record)
            sink.close()
        except Exception as error:
            said = printable(masked(str(error)).partition("\n")[0])[:200]
            self._fail(f"has failed: {type(error).__name__}: {said}")
        finally:
            self._opened.set()

    def _fail(self, what: str) -> None:
        """No more is sent."""
        if not self._failed:
            self._failed = True
            self._left_out += sum(record is not None for record in list(self._waiting.queue))
            self._tell(f"{what}; the training goes on without it")

    def _tell(self, what: str) -> None:
        line = f"the sink {self._name} {what}"
        log.warning("%s", line)
        self._news.append(line)
