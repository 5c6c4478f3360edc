"""Norms of weights and gradients, and how far an update moves weights, by the part that these play."""

from collections.abc import Iterable, Mapping

import torch
import torch.distributed as dist
from torch import Tensor

from training.optim.spread import local
from training.trainable import Trainable


class Norms:
    """Of one update; every process of the group makes it once gradients are there, and asks it after the update.

    `copies`: how many processes hold the same weights. It keeps a copy of this process's weights meanwhile."""

    def __init__(self, model: Trainable, copies: int) -> None:
        roles = model.roles()
        self._copies = copies
        self._weights: dict[str, list[Tensor]] = {}
        for name, weight in model.named_parameters():
            self._weights.setdefault(roles[name].part.value, []).append(weight)
        held = self._weights.items()
        self._gradients = [
            _square(torch.zeros_like(weight) if weight.grad is None else weight.grad for weight in own)
            for _, own in held
        ]
        self._before = [[local(weight.detach()).clone() for weight in own] for _, own in held]

    def after(self) -> Mapping[str, dict[str, float]]:
        """Purpose -> "gradient" and "weight", norms before the update, and "update", its norm over the weights'."""
        moved = [
            _square(local(new.detach()) - old for new, old in zip(own, before, strict=True))
            for own, before in zip(self._weights.values(), self._before, strict=True)
        ]
        weights = [_square(before) for before in self._before]
        squares = torch.stack([torch.stack(sums) for sums in (self._gradients, weights, moved)]) / self._copies
        dist.all_reduce(squares)
        gradient, weight, update = squares.sqrt().tolist()
        return {
            part: {"gradient": gradient[at], "weight": weight[at], "update": update[at] / max(weight[at], 1e-30)}
            for at, part in enumerate(self._weights)
        }


def _square(tensors: Iterable[Tensor]) -> Tensor:
    """float32 scalar: the sum of all squares in this process."""
    own = [local(tensor.detach()) for tensor in tensors]
    return torch.stack(torch._foreach_norm(own)).square().sum()
