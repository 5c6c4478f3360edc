"""A program's own answer to SIGTERM, which Ray replaces by one that ends it with exit code 1 and without a word."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def own_sigterm() -> Iterator[None]:
    """Whatever the context starts: afterwards a handler that the program had set answers again."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if callable(before) and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)
