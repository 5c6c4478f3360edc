"""The largest eigenvalue of a quadratic loss, by hand; and of a decoder, by all second derivatives."""

import numpy as np
import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from tests.training.models.made import SMALL, batch_of, model_of
from training.batch import Batch, Example, Kind
from training.evaluate.sharpness import sharpness
from training.models.decoder import Decoder
from training.trainable import Losses, Trainable

ONE = Example(
    inputs=np.zeros(2, np.int64),
    segments=np.ones(2, np.int32),
    labels=np.zeros(2, np.int64),
    weights=np.ones(2, np.float32),
)


class Quadratic(Trainable):
    """Of two labels in a row, each with w·H·w / 2: H has the eigenvalues in turned axes."""

    def __init__(self, *eigenvalues: float) -> None:
        super().__init__()
        self.turned = torch.linalg.qr(torch.randn(3, 3, generator=torch.Generator().manual_seed(0)))[0]
        self.hessian = self.turned @ torch.diag(torch.tensor(eigenvalues, dtype=torch.float32)) @ self.turned.T
        self.w = torch.nn.Parameter(torch.tensor([1.0, -2.0, 0.5]))

    def forward(self, batch: Batch) -> Losses:
        each = self.w @ self.hessian @ self.w / 2
        return Losses(each * batch.weights.sum(), (each * batch.weights.sum(dim=1)).detach(), {})


@pytest.mark.parametrize(("eigenvalues", "expected"), [((5, 2, -1), 5), ((1, 0.5, -4), -4), ((0, 0, 0), 0)])
def test_by_hand(eigenvalues: tuple[float, ...], expected: float) -> None:
    model = Quadratic(*eigenvalues)
    found = sharpness(model, [Batch.of([ONE]), Batch.of([ONE, ONE])])
    assert found.converged
    assert found.eigenvalue == pytest.approx(expected, rel=0.01, abs=1e-4)
    assert model.w.tolist() == [1.0, -2.0, 0.5]


def test_of_a_decoder() -> None:
    model = model_of(
        Decoder(**SMALL | {"layers": 1, "width": 8, "heads": 2, "hidden": 8}, initial_deviation=0.5), vocabulary=50
    )
    batch = batch_of(Kind.PLAIN)
    found = sharpness(model, [batch])
    weights = list(model.parameters())
    direction = [torch.randn_like(one) for one in weights]
    for _ in range(30):
        size = torch.cat([one.flatten() for one in direction]).norm()
        direction = [one / size for one in direction]
        with sdpa_kernel(SDPBackend.MATH):  # which has second derivatives
            logits = model.logits(batch)
        logs = logits.log_softmax(-1).gather(2, batch.labels[:, :, None])[:, :, 0]
        mean = -(logs * batch.weights).sum() / batch.weights.sum()
        slopes = torch.autograd.grad(mean, weights, create_graph=True)
        product = torch.autograd.grad(slopes, weights, direction)
        value = float(sum((a * b).sum() for a, b in zip(product, direction, strict=True)))
        direction = list(product)
    assert found.eigenvalue == pytest.approx(value, rel=0.02)
