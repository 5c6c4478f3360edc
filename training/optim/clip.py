"""Clipping of gradients, by their norm and by value.

Source: Pascanu et al. 2013, "On the difficulty of training recurrent neural networks" (arXiv:1211.5063), for the norm.
"""

from collections.abc import Iterable

import torch
import torch.distributed as dist
from torch import Tensor

from training.config.components import Optimizer
from training.optim.spread import local, squares


def clip(parameters: Iterable[Tensor], limits: Optimizer) -> Tensor:
    """Scales all gradients down to `max_gradient_norm` together, then cuts each element to `max_gradient_value`; in
    place. Returns their norm before that, float32[] on the device; every process must call it."""
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    norm = norm_of(gradients)
    parts = [local(gradient) for gradient in gradients]
    if limits.max_gradient_norm is not None:
        torch._foreach_mul_(parts, (limits.max_gradient_norm / norm).clamp(max=1.0))
    if limits.max_gradient_value is not None:
        torch._foreach_clamp_min_(parts, -limits.max_gradient_value)
        torch._foreach_clamp_max_(parts, limits.max_gradient_value)
    return norm


def norm_of(gradients: Iterable[Tensor]) -> Tensor:
    """Of all gradients together, over all processes, however each is spread: one sum over processes."""
    own = squares(gradients)
    if dist.is_initialized():
        dist.all_reduce(own)
    return own.sqrt()
