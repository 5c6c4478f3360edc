"""Which processes are slow.

All processes move in step, so each takes as long as the slowest and the time of a step says nothing of who that is. So
where a step is logged, each times the same matrix products, alone: a GPU that is too hot, has lost power or shares its
machine takes longer for them, and so does a process without a core of its own.
"""

import time
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

import torch

SIZES = {"cuda": 4096, "cpu": 256}  # rows and columns of the matrices: below 1 ms each
REPEATS = 3  # the fastest counts, as others may be waiting for a core for a moment
SLOW = {"cuda": 1.25, "cpu": 1.6}  # times the median; processes on CPUs share cores with all that runs there
IN_A_ROW = 3  # logged steps


class SpeedProbe:
    """Matrix products on a device."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        size = SIZES[device.type]
        kind = torch.bfloat16 if device.type == "cuda" else torch.float32
        self._matrix = torch.ones((size, size), dtype=kind, device=device)

    def seconds(self) -> float:
        """The fastest product's. It waits for what the device was given before."""
        taken = []
        for _ in range(REPEATS + 1):
            if self._device.type == "cuda":
                torch.cuda.synchronize(self._device)
            taken.append(time.perf_counter())
            torch.mm(self._matrix, self._matrix)
        return min(later - before for before, later in pairwise(taken))


class SlowRanks:
    """Who was slow each of the last times, on devices of a kind."""

    def __init__(self, device: torch.device) -> None:
        self._limit = SLOW[device.type]
        self._in_a_row: Counter[int] = Counter()

    def look(self, seconds: Sequence[float]) -> dict[int, float]:
        """Takes each process's time, by rank; gives how many times the median it was for those that were slow IN_A_ROW
        times."""
        middle = median(seconds)
        slow = {rank: own / middle for rank, own in enumerate(seconds) if own > self._limit * middle}
        self._in_a_row = Counter({rank: self._in_a_row[rank] + 1 for rank in slow})
        return {rank: times for rank, times in slow.items() if self._in_a_row[rank] >= IN_A_ROW}
