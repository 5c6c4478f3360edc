"""A process that nobody launched is a group of one, as often as it likes."""

import pytest
import torch.distributed as dist

from training.parallel.mesh import RefusedError, worker_group


def test_a_group_of_one_ends_with_its_block() -> None:
    for _ in range(2):
        with worker_group() as worker:
            assert (worker.rank, worker.world_size, worker.first) == (0, 1, True)
            assert worker.total(1.5, 2.0) == [1.5, 2.0]
            assert worker.data.size() == 1
        assert not dist.is_initialized()


def test_a_group_that_somebody_started_is_used_and_left() -> None:
    with worker_group():
        with worker_group() as inner:
            assert inner.device.type in ("cpu", "cuda")
        assert dist.is_initialized()
    assert not dist.is_initialized()


def test_a_problem_of_one_is_everybodys() -> None:
    """Of two processes in tests/training/test_loop.py."""
    with worker_group() as worker:
        assert worker.gather(3) == [3]
        assert worker.first_of("") == ""
        worker.agree("")
        with pytest.raises(RefusedError, match="it is damaged"):
            worker.agree("it is damaged")
