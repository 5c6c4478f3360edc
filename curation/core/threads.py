"""Threads beside the main work: one call for each of many small files, or the same call at regular intervals."""

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

THREADS = 8

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_threads(call: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """The results of `call` for each item, in order. After an error no further call begins; it is raised once the
    running calls have ended."""
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(call, items))


@contextmanager
def repeating(call: Callable[[], None], seconds: float, name: str) -> Iterator[None]:
    """Calls `call` every so many seconds in a thread while the context lasts. Leaving waits for a call to end."""
    ended = threading.Event()

    def repeat() -> None:
        while not ended.wait(seconds):
            call()

    thread = threading.Thread(target=repeat, name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
