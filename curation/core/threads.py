"""Does the same work on many small files, several at a time, because most of it is waiting for a disk or a store."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

THREADS = 8

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_threads(call: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """The results of `call` for each item, in order. An error is raised when the calls that had begun are done, and no
    further call begins."""
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(call, items))
