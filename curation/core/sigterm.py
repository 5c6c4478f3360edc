"""Keeps a program's own SIGTERM handler. Ray replaces it with one that ends the program silently with another code."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def own_sigterm() -> Iterator[None]:
    """Restores the program's handler at the end of the context, and calls it where the other one has answered."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    except SystemExit as end:
        if end.code == signal.SIGTERM and callable(before):  # as Ray's handler exits
            before(signal.SIGTERM, None)
        raise
    finally:
        if callable(before) and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)
