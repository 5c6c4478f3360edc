"""Keeps a program's own SIGTERM handler, which Ray would replace by ones that end it silently, with another code.
`training.job.local_ray` has the same."""

import ctypes
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ray._private import utils


@contextmanager
def own_sigterm() -> Iterator[None]:
    """While Ray starts in it, a program that has a handler for SIGTERM keeps it.

    Ray would set two of its own: one in Python, for good, and a compiled one, which aborts the process until the first
    has been set again; that one is replaced as soon as it is there, from a thread.
    """
    if not callable(signal.getsignal(signal.SIGTERM)) or threading.current_thread() is not threading.main_thread():
        yield
        return
    before, library, started = utils.set_sigterm_handler, ctypes.CDLL(None), threading.Event()
    action = ctypes.create_string_buffer(1024)  # more than a struct sigaction holds anywhere
    library.sigaction(signal.SIGTERM, None, action)

    def hold() -> None:
        while not started.wait(0.005):
            library.sigaction(signal.SIGTERM, action, None)

    utils.set_sigterm_handler = lambda handler: None
    thread = threading.Thread(target=hold, daemon=True)
    thread.start()
    try:
        yield
    finally:
        started.set()
        thread.join()
        library.sigaction(signal.SIGTERM, action, None)
        utils.set_sigterm_handler = before
