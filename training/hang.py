"""Ends a process that makes no step, with the stacks of its threads: whoever started it then starts all again.

A collective that one process never joins stops all the others without a word. Each process watches itself from a thread
outside of Python, so it notices also where Python itself stands still, and the files of all ranks together show who
waits for whom.
"""

import faulthandler
from pathlib import Path
from typing import TextIO

from curation.core import storage
from curation.core.caught import hashed
from curation.core.own_folder import own_folder

STACKS = "stacks"  # folder in the output


class HangWatch:
    """Writes OUTPUT/stacks/rank-N.txt, in a temporary folder of the output's own where that is in a store, if two calls
    of `step` are `seconds` apart, and ends the process with status 1."""

    def __init__(self, output: str, rank: int, seconds: float) -> None:
        there = Path(storage.resolve(output)[1], STACKS)
        folder = own_folder(STACKS) / hashed(output) if storage.in_store(output) else there
        self.file = folder / f"rank-{rank:05d}.txt"
        self._seconds = seconds
        self._stacks: TextIO | None = None

    def step(self) -> None:
        """From now on the time counts."""
        if self._stacks is None:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            self._stacks = self.file.open("a")
        faulthandler.dump_traceback_later(self._seconds, file=self._stacks, exit=True)

    def close(self) -> None:
        """Ends the watch."""
        faulthandler.cancel_dump_traceback_later()
        if self._stacks:
            self._stacks.close()
            if not self.file.stat().st_size:
                self.file.unlink()
