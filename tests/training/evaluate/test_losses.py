"""Losses by source by hand, and over a training's rows: those of its own validation, and of what it has read."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.training.evaluate.test_validation import Constant, batch
from tests.training.evaluate.trained_runs import trained
from training.batch import SourceBatch
from training.config.arithmetic import step_rows
from training.data.batches import TokenBatches
from training.data.check import prepare
from training.evaluate.losses import ALL, gaps, losses_by_source, sample
from training.evaluate.source_loss import SourceLoss
from training.evaluate.trained import TrainedRun
from training.parallel.mesh import worker_group


class Weighted(Constant):
    """p = (1/2, 1/4, 1/4); it has a weight, which says where it is."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))


def test_by_hand() -> None:
    batches = [
        SourceBatch(["web"], batch([0, 0, 1], [1, 1, 1])),
        SourceBatch(["code"], batch([0, 2, 1], [1, 1, 0])),
        SourceBatch(["web"], batch([1, 1, 2], [1, 0, 0])),
    ]
    found = losses_by_source(Weighted(), batches, np.array([1, 2]))  # label 2 is no token of the tokenizer
    web = found["web"].record()
    assert (web["rows"], web["labels"]) == (2, 4)
    assert web["loss"] == pytest.approx((2 * math.log(2) + 2 * math.log(4)) / 4)
    assert web["perplexity"] == pytest.approx(math.exp(1.5 * math.log(2)))
    assert web["bits_per_byte"] == pytest.approx(6 / (1 + 1 + 2 + 2))
    assert found["code"].record()["bits_per_byte"] == pytest.approx(3 / 1)
    assert found[ALL].record()["loss"] == pytest.approx(9 * math.log(2) / 6)
    assert losses_by_source(Weighted(), batches, None)[ALL].record()["bits_per_byte"] is None
    assert SourceLoss().record()["loss"] is None


def test_gaps() -> None:
    held = {"web": SourceLoss(1, 6.0, 2.0), "code": SourceLoss(1, 1.0, 1.0)}
    assert gaps(held, {"web": SourceLoss(1, 4.0, 4.0), "books": SourceLoss(1, 1.0, 1.0)}) == {"web": 2.0}


def test_rows_of_a_training(tmp_path: Path) -> None:
    run = TrainedRun.of(str(trained(tmp_path, validation_rows=5)))
    prepared = prepare(run.config, run.data, 1)
    with worker_group() as worker:
        batches = TokenBatches(prepared.data, prepared.config, step_rows(prepared.config), prepared.ids, worker)
        own = torch.cat([one.batch.labels for one in batches.validation()])[:5]
        read = torch.cat([one.labels for step in range(3) for one in batches.training(step).batches])
    held = sample(prepared, "validation", 5, 3)
    assert torch.equal(torch.cat([one.batch.labels for one in held]), own)
    assert [source for one in held for source in one.sources] == ["test"] * 5
    seen = sample(prepared, "train", 100, 3)
    assert torch.equal(torch.cat([one.batch.labels for one in seen]), read)  # 3 updates of 4 rows
    assert torch.equal(torch.cat([one.batch.labels for one in sample(prepared, "train", 3, 3)]), read[::4])
