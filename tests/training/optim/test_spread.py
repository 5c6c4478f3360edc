"""Two processes with half a matrix each find what one finds with the whole."""

from pathlib import Path

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Shard, distribute_tensor

from training.ending import leave
from training.optim.spread import copies, local, own_part, squares, sums_of_squares, total, zeros_along

WHOLE = torch.arange(28.0).view(7, 4)
ROWS = {0: WHOLE[:4], 1: WHOLE[4:]}


def test_a_plain_matrix_is_its_own_part() -> None:
    assert local(WHOLE) is own_part(WHOLE, WHOLE) is WHOLE
    assert (copies(WHOLE), squares([WHOLE, WHOLE]).sqrt()) == (1, (2 * WHOLE.square().sum()).sqrt())
    assert total(WHOLE, WHOLE.sum()) == WHOLE.sum()
    assert [zeros_along(WHOLE, dim).shape for dim in (0, 1)] == [(4,), (7,)]


@pytest.mark.parametrize("value", [0.01, 0.0123])
def test_a_large_tensor_on_a_cpu(value: float) -> None:
    """Added up in float32, 2^26 equal squares are 4 % off."""
    many = torch.full((1,), value).expand((1 << 26) + 5)
    expected = float(many[0].double().square()) * len(many)
    assert float(squares([many])) == pytest.approx(expected, rel=2e-6)


@pytest.mark.parametrize("length", [0, 1, 1023, 1024, 1025, 5000])
def test_no_element_is_left_out(length: int) -> None:
    values = torch.arange(length, dtype=torch.float32)
    expected = (length - 1) * length * (2 * length - 1) / 6
    (found,) = sums_of_squares([values])
    assert float(found) == pytest.approx(expected, rel=1e-6)
    (columns,) = sums_of_squares([values.expand(3, length).T])
    assert float(columns) == pytest.approx(3 * expected, rel=1e-6)


def _compare(rank: int, store: str) -> None:
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    matrix = distribute_tensor(WHOLE, init_device_mesh("cpu", (2,)), [Shard(0)])
    part = local(matrix)
    assert part.equal(ROWS[rank])
    assert (copies(matrix), copies(WHOLE)) == (1, 2)
    assert total(matrix, squares([matrix, WHOLE])) == pytest.approx(2 * float(WHOLE.square().sum()))
    assert own_part(matrix, WHOLE).equal(part)
    assert total(matrix, part.sum()) == WHOLE.sum()
    assert total(matrix, part.sum(0), dim=0).equal(WHOLE.sum(0))  # rows are spread
    assert total(matrix, part.sum(1), dim=1).equal(part.sum(1))  # columns are not
    assert local(zeros_along(matrix, 0)).equal(torch.zeros(4))
    assert local(zeros_along(matrix, 1)).equal(torch.zeros(len(part)))
    dist.destroy_process_group()
    leave()


@pytest.mark.slow
def test_two_processes_find_what_one_finds(tmp_path: Path) -> None:
    mp.spawn(_compare, (str(tmp_path / "store"),), nprocs=2)
