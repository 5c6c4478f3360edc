"""Processes hear a step later who was asked to stop; of two in tests/faults/test_training.py."""

from threading import Event

from training.parallel.mesh import worker_group
from training.stop import StopRequest


def test_an_answer_comes_a_step_later() -> None:
    asked = Event()
    with worker_group():
        stop = StopRequest(asked)
        assert not stop.agreed()
        asked.set()
        assert not stop.agreed()
        assert stop.agreed()
        stop.close()
