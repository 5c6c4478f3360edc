"""Whoever sets another handler for SIGTERM in between, the program's own one stands afterwards."""

import signal
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from curation.core.sigterm import own_sigterm


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def own(number: int, frame: Any) -> None:
    raise SystemExit(143)


def other(number: int, frame: Any) -> None:
    raise SystemExit(1)


def test_a_handler_comes_back() -> None:
    signal.signal(signal.SIGTERM, own)
    with own_sigterm():
        signal.signal(signal.SIGTERM, other)
    assert signal.getsignal(signal.SIGTERM) is own


def test_where_there_was_none_the_other_stays() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with own_sigterm():
        signal.signal(signal.SIGTERM, other)
    assert signal.getsignal(signal.SIGTERM) is other


def test_a_signal_that_the_other_handler_has_answered_reaches_the_program() -> None:
    signal.signal(signal.SIGTERM, own)
    with pytest.raises(SystemExit) as ended, own_sigterm():
        sys.exit(signal.SIGTERM)  # as Ray does while it starts
    assert ended.value.code == 143
    with pytest.raises(SystemExit) as ended, own_sigterm():
        sys.exit(3)
    assert ended.value.code == 3
