"""Sharpness: the largest eigenvalue of the loss's Hessian, which says how large a step it bears.

Gradient descent at rate r is stable up to 2 / r, and trainings drift to that edge: Cohen et al. 2021, "Gradient Descent
on Neural Networks Typically Occurs at the Edge of Stability" (arXiv:2103.00065). Optimizers with a preconditioner see
another Hessian, so the number compares checkpoints and is no verdict.

By power iteration; the Hessian times a direction is the difference of two gradients, because the losses give their
gradients once (`training.models.blocks.cross_entropy`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from training.batch import Batch
from training.trainable import Trainable

ITERATIONS = 20
STEP = 1e-2  # length of a difference: float32's gradients have too few digits for a much shorter one
ENOUGH = 5e-3  # relative change at which the iteration ends


@dataclass(frozen=True)
class Sharpness:
    """Of the mean loss over all labels."""

    eigenvalue: float  # the largest by its size
    converged: bool  # the last iteration changed it by less than ENOUGH of it


def sharpness(model: Trainable, batches: Sequence[Batch], *, seed: int = 0) -> Sharpness:
    """The weights end as they begin."""
    weights = list(model.parameters())
    labels = sum(float(batch.weights.sum()) for batch in batches)
    start = [weight.detach().clone() for weight in weights]
    generator = torch.Generator().manual_seed(seed)
    direction = [torch.randn(weight.shape, generator=generator).to(weight.device) for weight in weights]
    value = 0.0
    converged = False
    for _ in range(ITERATIONS):
        length = _norm(direction)
        direction = [one / length for one in direction]
        ahead, behind = (_gradient(model, weights, start, direction, sign * STEP, batches) for sign in (1, -1))
        product = [(a - b) / (2 * STEP * labels) for a, b in zip(ahead, behind, strict=True)]
        before = value
        value = float(sum((a * b).sum() for a, b in zip(direction, product, strict=True)))
        direction = product
        converged = abs(value - before) <= ENOUGH * abs(value)
        if converged or not _norm(product):
            break
    return Sharpness(value, converged)


def _gradient(
    model: Trainable,
    weights: Sequence[Tensor],
    start: Sequence[Tensor],
    direction: Sequence[Tensor],
    distance: float,
    batches: Sequence[Batch],
) -> list[Tensor]:
    """Of the sum of all losses, at a distance from the start."""
    _move(weights, start, direction, distance)
    sums = [torch.zeros_like(weight) for weight in weights]
    for batch in batches:
        total = model(batch.to(weights[0].device)).total
        for own, found in zip(sums, torch.autograd.grad(total, list(weights), allow_unused=True), strict=True):
            own += 0 if found is None else found
    _move(weights, start, direction, 0.0)
    return sums


@torch.no_grad()
def _move(weights: Sequence[Tensor], start: Sequence[Tensor], direction: Sequence[Tensor], distance: float) -> None:
    for weight, origin, way in zip(weights, start, direction, strict=True):
        weight.copy_(origin + distance * way)


def _norm(tensors: Sequence[Tensor]) -> float:
    return float(torch.stack([one.double().square().sum() for one in tensors]).sum().sqrt())
