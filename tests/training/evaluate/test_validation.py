"""Validation against values by hand, in a process group of one."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
import torch

from training.batch import Batch, Example, SourceBatch
from training.config.run import Parallel, TrainConfig
from training.evaluate.validation import Validation, entropy, validate
from training.models.decoder import Decoder
from training.parallel.mesh import worker_group
from training.parallel.sharded import WholePasses
from training.trainable import Losses, Trainable

SHARES = torch.tensor([0.5, 0.25, 0.25])
CONFIG = TrainConfig(model=Decoder(vocabulary=4))


class Constant(Trainable):
    """p = (1/2, 1/4, 1/4) at every position."""

    def forward(self, batch: Batch) -> Losses:
        nats = (-SHARES.log()[batch.labels] * batch.weights).sum(dim=1)
        return Losses(nats.sum(), nats, {})


def constant() -> WholePasses:
    return WholePasses(Constant(), Parallel())


def batch(labels: Sequence[int], weights: Sequence[float]) -> Batch:
    count = len(labels)
    return Batch.of(
        [
            Example(
                inputs=np.zeros(count, np.int64),
                segments=np.ones(count, np.int32),
                labels=np.array(labels),
                weights=np.array(weights, np.float32),
            )
        ]
    )


def test_loss_yardstick_and_bytes_by_hand() -> None:
    batches = [SourceBatch(["web"], batch([0, 0, 1], [1, 1, 1])), SourceBatch(["code"], batch([0, 2, 1], [1, 1, 0]))]
    with worker_group() as worker:
        found = validate(constant(), batches, worker, CONFIG, np.array([1, 2, 5]), ["books", "code", "web"])
    assert found.tokens == 5
    assert found.loss == pytest.approx((3 * math.log(2) + 2 * math.log(4)) / 5)
    assert found.unigram_entropy == pytest.approx(-0.6 * math.log(0.6) - 2 * 0.2 * math.log(0.2))
    assert found.utf8_bytes == 3 * 1 + 2 + 5
    assert found.bits_per_byte == pytest.approx((3 + 2 * 2) / 10)
    by_source = found.record()["sources"]
    assert by_source.keys() == {"code", "web"}
    web = {"rows": 1, "labels": 3, "loss": 4 / 3 * math.log(2), "perplexity": 2 ** (4 / 3), "bits_per_byte": 4 / 4}
    assert by_source["web"] == pytest.approx(web)
    code = {"rows": 1, "labels": 2, "loss": 1.5 * math.log(2), "perplexity": 2**1.5, "bits_per_byte": 3 / 6}
    assert by_source["code"] == pytest.approx(code)


def test_entropy() -> None:
    assert entropy(torch.tensor([4, 0, 4, 8])) == pytest.approx(1.5 * math.log(2))
    assert entropy(torch.tensor([7, 0])) == 0.0


def test_record() -> None:
    found = Validation(loss=math.log(8), unigram_entropy=math.log(64), tokens=10, utf8_bytes=40)
    record = found.record()
    assert record["perplexity"] == pytest.approx(8.0)
    assert record["ratio"] == pytest.approx(0.5)
    assert record["bits_per_byte"] == pytest.approx(0.75)
    unknown = Validation(loss=1.0, unigram_entropy=2.0, tokens=1, utf8_bytes=None)
    assert unknown.record()["bits_per_byte"] is None


@pytest.mark.parametrize("batches", [pytest.param([], id="nothing"), pytest.param([batch([1], [0])], id="padding")])
def test_nothing_to_score(batches: list[Batch]) -> None:
    with worker_group() as worker, pytest.raises(ValueError, match="hold only padding"):
        validate(constant(), [SourceBatch(["web"], one) for one in batches], worker, CONFIG, None, ["web"])
