"""The first SIGTERM or Ctrl-C asks, the second one ends: when the context does, or when the time is over."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from training.job.stopping import SIGNALS, stopping


def end(number: int, frame: object) -> None:
    raise InterruptedError


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    before = {number: signal.signal(number, end) for number in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def asked_for(
    works: float,
    ask: Callable[[int], None],
    *numbers: int,
    pause: float = 0.3,
    begun: bool = True,
    seconds: float = 30,
) -> None:
    """Work of so many seconds, during which this process gets the signals."""

    def send() -> None:
        for number in numbers:
            os.kill(os.getpid(), number)
            time.sleep(pause)

    with stopping(ask, lambda: begun, seconds):
        sender = threading.Thread(target=send, daemon=True)
        sender.start()
        time.sleep(works)


@pytest.mark.parametrize("number", SIGNALS)
def test_it_ends_with_the_context(number: int) -> None:
    asked: list[int] = []
    with pytest.raises(InterruptedError):
        asked_for(0.3, asked.append, number)
    assert asked == [number]


def test_sigterm_ends_it_when_the_time_is_over() -> None:
    began = time.monotonic()
    with pytest.raises(InterruptedError):
        asked_for(20, lambda _: None, signal.SIGTERM, seconds=0.2)
    assert time.monotonic() - began < 15


def test_after_ctrl_c_there_is_time() -> None:
    began = time.monotonic()
    with pytest.raises(InterruptedError):
        asked_for(0.6, lambda _: None, signal.SIGINT, seconds=0.1)
    assert time.monotonic() - began >= 0.6


@pytest.mark.parametrize("second", SIGNALS)
def test_a_second_signal_ends_it(second: int) -> None:
    asked: list[int] = []
    began = time.monotonic()
    with pytest.raises(InterruptedError):
        asked_for(20, asked.append, signal.SIGINT, second)
    assert time.monotonic() - began < 15
    assert asked == [signal.SIGINT]


def test_one_ctrl_c_that_comes_twice_is_one() -> None:
    began = time.monotonic()
    with pytest.raises(InterruptedError):
        asked_for(0.6, lambda _: None, signal.SIGINT, signal.SIGINT, pause=0.02)
    assert time.monotonic() - began >= 0.6


@pytest.mark.parametrize("number", SIGNALS)
def test_nobody_is_asked_before_work_has_begun(number: int) -> None:
    asked: list[int] = []
    with pytest.raises(InterruptedError):
        asked_for(20, asked.append, number, begun=False)
    assert asked == []


def test_nothing_happens_without_a_signal() -> None:
    with stopping(lambda _: None, lambda: True):
        assert all(signal.getsignal(number) is not end for number in SIGNALS)
    assert all(signal.getsignal(number) is end for number in SIGNALS)
