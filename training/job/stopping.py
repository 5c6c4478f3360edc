"""SIGTERM and Ctrl-C in the process that waits for the workers: it asks them for a checkpoint, and ends after it."""

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from curation.core import storage
from training.ending import STOP

log = logging.getLogger(__name__)

SECONDS = 30.0  # that workers have for a step and a checkpoint: what spot machines and Kubernetes give
SIGNALS = (signal.SIGTERM, signal.SIGINT)
ECHO = 0.2  # seconds in which a second SIGINT is the same Ctrl-C, passed on by a program between terminal and command


@contextmanager
def stopping(ask: Callable[[int], None], begun: Callable[[], bool], seconds: float = SECONDS) -> Iterator[None]:
    """A first SIGTERM or SIGINT calls `ask` with its number, in a thread. The signal is sent again when the context
    ends or a second one comes, and then does what it did before. SIGTERM is also sent again after so many `seconds`;
    a person who pressed Ctrl-C may wait for as long as a step takes. Where the work has not `begun`, nobody is asked.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: had for number in SIGNALS if callable(had := signal.getsignal(number))}
    came: list[tuple[int, float]] = []
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGTERM))
    timer.daemon = True

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def heard(number: int, frame: FrameType | None) -> None:
        if came and number == signal.SIGINT and time.monotonic() - came[0][1] < ECHO:
            return
        if came or not begun():
            if came and number == signal.SIGINT:
                time.sleep(ECHO)  # a command line has ended the process by then
            came.clear()
            restore()
            os.kill(os.getpid(), number)
            return
        came.append((number, time.monotonic()))
        if number == signal.SIGTERM:
            timer.start()
        threading.Thread(target=ask, args=(number,), name="winnow-stopping", daemon=True).start()

    for number in before:
        signal.signal(number, heard)
    try:
        yield
    finally:
        timer.cancel()
        restore()
        if came:
            os.kill(os.getpid(), came[0][0])


def ask_workers(output: str, number: int) -> None:
    """Asks the workers for a checkpoint and an end."""
    hurry = "; Ctrl-C again ends at once, without a checkpoint" if number == signal.SIGINT else ""
    log.warning("stopping after this step, with a checkpoint%s", hurry)
    storage.write_bytes(storage.join(output, STOP), b"")
