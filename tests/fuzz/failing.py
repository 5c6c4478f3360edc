"""Targets that fail at seed 7, to see that a failure is told: they take part in no run."""

import os
import random
import time
from collections.abc import Callable
from pathlib import Path

from tests.fuzz.child import Execution, Target


def failing(fail: Callable[[], object]) -> Callable[[Path], Execution]:
    def make(_: Path) -> Execution:
        started = 0

        def execute(_: random.Random) -> None:
            nonlocal started
            started += 1
            if started == 8:
                fail()

        return execute

    return make


def _raise() -> None:
    raise ValueError("a fault")


TARGETS = {
    "dies": Target(failing(os.abort), 10),
    "raises": Target(failing(_raise), 10),
    "hangs": Target(failing(lambda: time.sleep(60)), 10),
    "passes": Target(failing(lambda: None), 10),
}
