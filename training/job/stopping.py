"""SIGTERM in the process that waits for the workers: it asks them for a checkpoint first, and ends them after it."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

SECONDS = 30.0  # that workers have for a step and a checkpoint: what spot machines and Kubernetes give


@contextmanager
def stopping(ask: Callable[[], None], seconds: float = SECONDS) -> Iterator[None]:
    """A first SIGTERM calls `ask`. It is sent again when the context ends, or after so many seconds if that comes
    first, and then does what it did before."""
    before = signal.getsignal(signal.SIGTERM)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    waker = signal.set_wakeup_fd(-1)
    came = threading.Event()

    def again() -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    timer = threading.Timer(seconds, again)
    timer.daemon = True

    def asked(number: int, frame: FrameType | None) -> None:
        restore()
        came.set()
        timer.start()
        ask()

    def restore() -> None:
        signal.signal(signal.SIGTERM, before)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)

    signal.signal(signal.SIGTERM, asked)
    try:
        yield
    finally:
        timer.cancel()
        if came.is_set():
            again()
        else:
            restore()
