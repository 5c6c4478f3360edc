"""What a target does is told: that it died, raised or did not end, and with which seed to repeat it."""

import os
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fuzz.child import Execution, Target, fuzz


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


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            "dies",
            r"(?s)ended with -6 at seed 7 of test_child\.dies: python -m tests\.fuzz\.child .* 7 test_child\.dies=1",
        ),
        ("raises", r"(?s)ended with 1 at seed 7 of test_child\.raises.*ValueError: a fault"),
        pytest.param("hangs", r"not done after 5 s, at seed 7 of test_child\.hangs", marks=pytest.mark.soak),
    ],
)
def test_a_failure_is_told_with_its_seed(tmp_path: Path, name: str, told: str) -> None:
    with pytest.raises(pytest.fail.Exception, match=told):
        fuzz({"test_child.passes": 10, f"test_child.{name}": 10}, tmp_path, timeout=5 if name == "hangs" else 60)


def test_a_target_that_passes_tells_its_memory(tmp_path: Path) -> None:
    assert 10 <= fuzz({"test_child.passes": 10}, tmp_path) <= 500
