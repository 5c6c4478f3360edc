"""The same work on many small files, several at a time: most of it is waiting for a disk or a store."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

THREADS = 8

Given = TypeVar("Given")
Made = TypeVar("Made")


def map_threads(call: Callable[[Given], Made], items: Iterable[Given]) -> list[Made]:
    """What `call` makes of each, in their order. An error of one is raised when those that were begun are done; no
    other is begun."""
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(call, items))
