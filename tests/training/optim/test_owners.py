"""Matrices that are spread over processes come together in one owner each, and their parts go back."""

from pathlib import Path

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import Tensor
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor

from training.ending import leave
from training.optim.owners import from_owners, owners, to_owners
from training.optim.spread import axes_of, local

SHAPES = [(7, 4), (4, 6), (5, 2), (2, 8), (9, 2)]  # not all are divided by the processes, and one is left over
MATRICES = [
    torch.arange(float(rows * columns)).view(rows, columns) + 100 * at for at, (rows, columns) in enumerate(SHAPES)
]
LAYOUTS = [
    ((4,), [Shard(0)]),
    ((2, 2), [Shard(0), Shard(1)]),
    ((2, 2), [Shard(1), Shard(0)]),
    ((2, 2), [Replicate(), Shard(0)]),
]


def test_a_plain_matrix_is_owned() -> None:
    assert (axes_of(MATRICES[0]), owners([])) == ([], 1)
    assert to_owners([], SHAPES[:1], MATRICES[:1]) == from_owners([], SHAPES[:1], MATRICES[:1], MATRICES[0])


def _exchange(rank: int, store: str) -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=4)
    for sizes, placements in LAYOUTS:
        mesh = init_device_mesh("cpu", sizes)
        spread = [distribute_tensor(matrix, mesh, placements) for matrix in MATRICES]
        axes = axes_of(spread[0])
        parts = [local(one) for one in spread]
        wholes = to_owners(axes, SHAPES, parts)
        counts = [0] * 4
        dist.all_gather_object(counts, len(wholes))
        copies = 4 // owners(axes)
        assert sum(counts) == len(SHAPES) * copies
        assert all(any(_same(whole, one) for one in MATRICES) for whole in wholes)
        back = from_owners(axes, SHAPES, [whole * 2 for whole in wholes], parts[0])
        assert all(_same(one, part * 2) for one, part in zip(back, parts, strict=True))
    Path(f"{store}-{rank}").touch()
    leave()


def _same(one: Tensor, other: Tensor) -> bool:
    return one.shape == other.shape and one.equal(other)


@pytest.mark.slow
def test_every_matrix_has_one_owner_and_its_parts_go_back(tmp_path: Path) -> None:
    mp.spawn(_exchange, (str(tmp_path / "store"),), nprocs=4)
    assert len(list(tmp_path.glob("store-*"))) == 4
