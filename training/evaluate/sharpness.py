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
from torch.nn.utils import parameters_to_vector, vector_to_parameters

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
    start = parameters_to_vector(weights).detach()
    generator = torch.Generator().manual_seed(seed)
    direction = parameters_to_vector([torch.randn(one.shape, generator=generator).to(start.device) for one in weights])
    value = 0.0
    converged = False
    for _ in range(ITERATIONS):
        direction = direction / torch.linalg.vector_norm(direction, dtype=torch.float64).float()
        ahead, behind = (_gradient(model, start + sign * STEP * direction, batches) for sign in (1, -1))
        product = (ahead - behind) / (2 * STEP * labels)
        before = value
        value = float((direction * product).sum(dtype=torch.float64))
        direction = product
        converged = abs(value - before) <= ENOUGH * abs(value)
        if converged or not product.any():
            break
    vector_to_parameters(start, weights)
    return Sharpness(value, converged)


def _gradient(model: Trainable, weights: Tensor, batches: Sequence[Batch]) -> Tensor:
    """Gradient of the sum of all losses, at weights that stand one behind another, as it does too."""
    own = list(model.parameters())
    vector_to_parameters(weights, own)
    found = torch.zeros_like(weights)
    for batch in batches:
        total = model(batch.to(weights.device)).total
        found += parameters_to_vector(torch.autograd.grad(total, own, materialize_grads=True))
    return found
