"""Norms of weights and gradients, and how far an update moves weights, by the part that these play."""

from collections.abc import Mapping

import torch
import torch.distributed as dist
from torch import Tensor

from training.optim.spread import local, squares
from training.roles import Purpose
from training.trainable import Trainable


class Norms:
    """Of one update; every process of the group makes it once gradients are there, and asks it after the update. It
    keeps a copy of this process's weights meanwhile."""

    def __init__(self, model: Trainable) -> None:
        roles = model.roles()
        self._weights: dict[str, list[Tensor]] = {}
        for part in Purpose:  # all, because processes may have others
            self._weights[part.value] = []
        for name, weight in model.named_parameters():
            self._weights[roles[name].part.value].append(weight)
        held = self._weights.items()
        self._device = local(next(model.parameters())).device
        self._gradients = [
            squares((torch.zeros_like(one) if one.grad is None else one.grad for one in own), self._device)
            for _, own in held
        ]
        self._before = [[weight.detach().clone() for weight in own] for _, own in held]

    def after(self) -> Mapping[str, dict[str, float]]:
        """Purpose -> "gradient" and "weight", norms before the update, and "update", its norm over the weights'."""
        moved = [
            squares((new.detach() - old for new, old in zip(own, before, strict=True)), self._device)
            for own, before in zip(self._weights.values(), self._before, strict=True)
        ]
        weights = [squares(before, self._device) for before in self._before]
        sums = torch.stack([torch.stack(some) for some in (self._gradients, weights, moved)])
        dist.all_reduce(sums)
        gradient, weight, update = sums.sqrt().tolist()
        return {
            part: {"gradient": gradient[at], "weight": weight[at], "update": update[at] / max(weight[at], 1e-30)}
            for at, part in enumerate(self._weights)
            if weight[at] or gradient[at]
        }
