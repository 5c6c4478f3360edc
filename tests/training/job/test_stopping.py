"""The first SIGTERM asks, the second one ends: when the context does, or when the time is over."""

import os
import signal
import time
from collections.abc import Callable

import pytest

from training.job.stopping import stopping


def end(number: int, frame: object) -> None:
    raise InterruptedError


@pytest.fixture(autouse=True)
def _handler() -> object:
    before = signal.signal(signal.SIGTERM, end)
    yield
    signal.signal(signal.SIGTERM, before)


def asked_for(works: float, ask: Callable[[], None], seconds: float = 30) -> None:
    with stopping(ask, seconds):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(works)


def test_it_ends_with_the_context() -> None:
    asked: list[bool] = []
    with pytest.raises(InterruptedError):
        asked_for(0.1, lambda: asked.append(True))
    assert asked == [True]


def test_it_ends_when_the_time_is_over() -> None:
    began = time.monotonic()
    with pytest.raises(InterruptedError):
        asked_for(20, lambda: None, seconds=0.2)
    assert time.monotonic() - began < 15


def test_nothing_happens_without_a_signal() -> None:
    with stopping(lambda: None):
        assert signal.getsignal(signal.SIGTERM) is not end
    assert signal.getsignal(signal.SIGTERM) is end
