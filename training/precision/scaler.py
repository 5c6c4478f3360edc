"""Dynamic scaling of the loss, so that small gradients do not vanish in fp16.

The scale is halved after an overflow, which skips the update, and doubled after 2,000 updates without any. It is the
same in all processes, and nothing waits for the device.
Source: Micikevicius et al. 2018, "Mixed Precision Training" (arXiv:1710.03740), section 3.2.
"""

from collections.abc import Iterable

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.tensor import DTensor

GROW_AFTER = 2000  # updates


class LossScaler:
    """Of one process. `scale` and `since`, updates since the scale has changed, belong in a checkpoint."""

    def __init__(self, device: torch.device) -> None:
        self.scale = torch.full((), 2.0**16, device=device)
        self.since = torch.zeros((), dtype=torch.int32, device=device)

    def unscale(self, parameters: Iterable[Tensor]) -> None:
        """Divides the gradients of a loss that was multiplied by `scale`; exact, because it is a power of 2."""
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        parts = [one.to_local() if isinstance(one, DTensor) else one for one in gradients]
        torch._foreach_mul_(parts, (1 / self.scale).to(parts[0].device))  # offloaded ones are on the CPU

    def agree(self, finite: Tensor) -> Tensor:
        """Whether this process's gradients are finite -> 1 if those of all are, else 0, and the update is to be left
        out; float32[]. Changes the scale for the next update, to 1 at least; every process must call it."""
        agreed = finite.float()
        dist.all_reduce(agreed, op=dist.ReduceOp.MIN)
        self.since.add_(1).mul_(agreed.int())
        grown = self.since == GROW_AFTER
        self.scale.mul_(torch.where(agreed == 0, 0.5, torch.where(grown, 2.0, 1.0))).clamp_(min=1.0)
        self.since.masked_fill_(grown, 0)
        return agreed
