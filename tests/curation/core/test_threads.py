"""Work side by side gives what work one after the other gives, errors included."""

import threading
import time

import pytest

from curation.core.threads import THREADS, map_threads, repeating


def test_in_their_order() -> None:
    assert map_threads(lambda number: number * 2, range(5 * THREADS)) == list(range(0, 10 * THREADS, 2))
    assert map_threads(str, []) == []


def test_the_first_error_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        map_threads(lambda number: 1 // number, [1, 0, 2])


def test_a_call_is_repeated_until_the_context_ends() -> None:
    names = list[str]()
    thrice = threading.Event()

    def call() -> None:
        names.append(threading.current_thread().name)
        if len(names) == 3:
            thrice.set()

    with repeating(call, 0.001, "often"):
        assert thrice.wait(30)
    calls = len(names)
    time.sleep(0.05)
    assert len(names) == calls
    assert set(names) == {"often"}
