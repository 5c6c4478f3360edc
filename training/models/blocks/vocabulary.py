"""A vocabulary that processes share: each has the logits of its own tokens, and hears of the others what it needs.

Source: Shoeybi et al. 2019, "Megatron-LM" (arXiv:1909.08053), section 3. N labels, V tokens of this process.
"""

from typing import NamedTuple

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.tensor import DTensor, Partial

from training.models.blocks.softmax import Smoothing, Softmax, gradients


class VocabularyPart(NamedTuple):
    """This process's tokens."""

    first: int
    size: int
    group: dist.ProcessGroup

    def at(self, labels_N: Tensor) -> Tensor:
        """The labels as places among the own tokens; outside of 0 … V - 1 where they are others'."""
        return labels_N - self.first

    def own(self, bias: Tensor | None) -> Tensor | None:
        """Of a bias that all processes have whole, the part of the own tokens, as a tensor of this process."""
        if not isinstance(bias, DTensor):
            return bias
        whole: Tensor = bias.to_local(grad_placements=[Partial()])
        return whole[self.first : self.first + self.size]

    def add_up(self, values: Tensor) -> None:
        """Over the processes, in place."""
        dist.all_reduce(values, group=self.group)

    def softmax(
        self, logits_NV: Tensor, places_N: Tensor, weights_N: Tensor, smoothing: Smoothing
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """As `gradients`, over the logits of all processes; for others' labels the last one is the gradient of the own
        logit that is next to their place."""
        kind = logits_NV.dtype
        logits = logits_NV.float()
        parts = dist.get_world_size(self.group)
        own = logits.logsumexp(dim=1)
        log_sums = own.new_empty(parts * len(own))
        dist.all_gather_into_tensor(log_sums, own, group=self.group)
        nearest = places_N.clamp(0, self.size - 1)[:, None]
        here = (places_N >= 0) & (places_N < self.size)
        sums = torch.stack([torch.where(here, logits.gather(1, nearest)[:, 0], 0.0), logits.sum(dim=1)])
        self.add_up(sums)
        whole = self.size * parts
        found = Softmax(log_sums.view(parts, -1).logsumexp(dim=0), sums[0], sums[1] / whole, whole)
        minimised, nats, by_logits, by_label = gradients(logits, found, weights_N, smoothing)
        by_place = torch.where(here, by_label, by_logits.gather(1, nearest)[:, 0])
        return minimised, nats, by_logits.to(kind), by_place.to(kind)


def part_of(weight_VD: DTensor) -> VocabularyPart:
    """Of a matrix that is split by tokens over a mesh of one axis, which divides them."""
    mesh = weight_VD.device_mesh
    size = weight_VD.shape[0] // mesh.size()
    return VocabularyPart(size * mesh.get_local_rank(), size, mesh.get_group())
