"""Threads beside the work: the same for many small files, most of it waiting for a disk or a store; and again and again
while something lasts."""

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

THREADS = 8

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_threads(call: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """The results of `call` for each item, in order. An error is raised when the calls that had begun are done, and no
    further call begins."""
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(call, items))


@contextmanager
def repeating(call: Callable[[], None], seconds: float, name: str) -> Iterator[None]:
    """While the context lasts, `call` is made every so many seconds in a thread of this name; its end waits for one."""
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
