"""Keeps a program's own SIGTERM handler. Ray replaces it with one that ends the program silently with exit code 1."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def own_sigterm() -> Iterator[None]:
    """Restores the program's handler at the end of the context."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if callable(before) and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)
