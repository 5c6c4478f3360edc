"""Ray sets no handler for SIGTERM in a program that has its own; both copies, curation's and training's."""

import ctypes
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
from ray._private import utils

from curation.engine.run import sigterm as curations
from training.job import local_ray as trainings

both = pytest.mark.parametrize("own_sigterm", [curations.own_sigterm, trainings.own_sigterm])
OwnSigterm = Callable[[], AbstractContextManager[None]]


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def own(number: int, frame: Any) -> None:
    raise SystemExit(143)


def rays(number: int, frame: Any) -> None:
    raise SystemExit(1)


def end_myself(own_sigterm: OwnSigterm, library: ctypes.CDLL, answer: int) -> None:
    with own_sigterm():
        library.signal(signal.SIGTERM, ctypes.c_void_p(answer))
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(5)


@both
def test_a_handler_stays_and_ray_may_set_one_afterwards(own_sigterm: OwnSigterm) -> None:
    signal.signal(signal.SIGTERM, own)
    with own_sigterm():
        utils.set_sigterm_handler(rays)
        assert signal.getsignal(signal.SIGTERM) is own
    utils.set_sigterm_handler(rays)
    assert signal.getsignal(signal.SIGTERM) is rays


@both
def test_a_compiled_handler_is_replaced_at_once(own_sigterm: OwnSigterm) -> None:
    signal.signal(signal.SIGTERM, own)
    library = ctypes.CDLL(None)
    ignore, default = 1, 0
    for answer in (ignore, default):  # without the thread, the second would end this process
        with pytest.raises(SystemExit) as ended:
            end_myself(own_sigterm, library, answer)
        assert ended.value.code == 143


@both
def test_where_there_is_none_rays_is_set(own_sigterm: OwnSigterm) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with own_sigterm():
        utils.set_sigterm_handler(rays)
    assert signal.getsignal(signal.SIGTERM) is rays
