"""Reads the batches of the next steps in a thread, while the device computes this one."""

import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

T = TypeVar("T")
AHEAD = 2  # steps


class Prefetch(Generic[T]):
    """`read(step)` for each step from `first` to before `stop`, in order; `waited` counts seconds that `take` lost."""

    def __init__(self, read: Callable[[int], T], first: int, stop: int) -> None:
        self.waited = 0.0
        self._read = read
        self._steps = iter(range(first, stop))
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="winnow-prefetch")
        self._ahead: deque[Future[T]] = deque()

    def take(self) -> T:
        """What `read` gave for the next step; raises what it raised."""
        while len(self._ahead) <= AHEAD and (step := next(self._steps, None)) is not None:
            self._ahead.append(self._pool.submit(self._read, step))
        began = time.perf_counter()
        found = self._ahead.popleft().result()
        self.waited += time.perf_counter() - began
        return found

    def close(self) -> None:
        """Ends the thread, once it has read what it is reading."""
        self._pool.shutdown(cancel_futures=True)
