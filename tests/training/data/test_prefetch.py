"""Reading ahead: each step once and in order, only a few before they are wanted, and errors where they belong."""

import threading

import pytest

from training.data.prefetch import AHEAD, Prefetch


def test_in_order_and_not_far_ahead() -> None:
    read: list[int] = []
    enough = threading.Event()

    def step(number: int) -> int:
        read.append(number)
        if number == 4 + AHEAD:
            enough.set()
        return number * 10

    ahead = Prefetch(step, 4, 4 + 2 * AHEAD)
    assert ahead.take() == 40
    assert enough.wait(10)
    assert read == [*range(4, 4 + AHEAD + 1)]
    assert [ahead.take() for _ in range(2 * AHEAD - 1)] == [number * 10 for number in range(5, 4 + 2 * AHEAD)]
    ahead.close()
    assert read == [*range(4, 4 + 2 * AHEAD)]


def test_an_error_comes_with_its_step() -> None:
    def step(number: int) -> int:
        if number:
            raise ValueError("damaged")
        return number

    ahead = Prefetch(step, 0, 9)
    assert ahead.take() == 0
    with pytest.raises(ValueError, match="damaged"):
        ahead.take()
    ahead.close()
