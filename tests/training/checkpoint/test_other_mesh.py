"""A checkpoint that was written under one layout is loaded under any other: weights bit for bit, and the same loss."""

from pathlib import Path

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import Tensor
from torch.distributed.tensor import DTensor

from benchmarks.training.parity import AXES, Spread, batches_of, config_of
from tests.training.checkpoint.models import save
from training.checkpoint.load import load
from training.ending import leave
from training.parallel.mesh import Worker, worker_group
from training.step import Step
from training.trainee import Trainee, new_trainee


def _weights(trainee: Trainee, worker: Worker) -> dict[str, Tensor]:
    """Whole, of all stages."""
    held = trainee.model.named_parameters()
    own = {name: one.detach().full_tensor() if isinstance(one, DTensor) else one.detach() for name, one in held}
    return {name: weight for some in worker.gather(own) for name, weight in some.items()}


def _move(rank: int, folder: str, kind: str) -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    for source, target in zip(AXES, (*AXES[1:], AXES[0]), strict=True):
        expected: list[tuple[dict[str, Tensor], float]] = []
        for axis in (source, target):
            config = config_of(Spread(kind, (axis,)))
            with worker_group(config.parallel) as worker:
                trainee = new_trainee(config, worker)
                step = Step(trainee, config, worker)
                if axis == source:
                    step.run(batches_of(config, worker, 0), 1e-3)
                    save(f"{folder}/{source}", 1, trainee, worker)
                else:
                    assert load(f"{folder}/{source}", 1, trainee, worker) == ""
                found = _weights(trainee, worker)
                expected.append((found, float(step.run(batches_of(config, worker, 1), 1e-3).loss)))
        (before, loss), (after, again) = expected
        assert before.keys() == after.keys()
        assert all(torch.equal(weight, after[name]) for name, weight in before.items()), (source, target)
        assert abs(loss - again) <= 1e-6, (source, target)
        Path(folder, f"done-{source}-{rank}").touch()
    leave()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["fp32", pytest.param("muon", marks=pytest.mark.soak)])
def test_every_layout_reads_what_another_wrote(tmp_path: Path, kind: str) -> None:
    mp.spawn(_move, (str(tmp_path), kind), nprocs=2)
    assert len(list(tmp_path.glob("done-*"))) == 2 * len(AXES)
