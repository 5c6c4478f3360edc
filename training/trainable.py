"""The face of every model: logits, the loss of a batch, and what the loop needs to know of it. B rows, L tokens, V
vocabulary."""

import torch.nn.functional as F
from torch import Tensor, nn

from training.batch import IGNORED, Batch


class Trainable(nn.Module):
    """A network without any distributed code."""

    blocks: nn.ModuleList  # units of sharding

    def forward(self, tokens_BL: Tensor, segments_BL: Tensor | None = None) -> Tensor:
        """int64[B, L], and int32[B, L] as of an example -> logits [B, L, V]."""
        raise NotImplementedError

    def loss(self, batch: Batch) -> Tensor:
        """float32 scalar in nats: the sum over the batch's labels that count."""
        return cross_entropy_sum(self(batch.inputs, batch.segments), batch.labels)

    def flops_per_token(self, length: int) -> float:
        """Floating-point operations of one training token in rows of `length`, forward and backward."""
        raise NotImplementedError


def cross_entropy_sum(logits_BLV: Tensor, labels_BL: Tensor) -> Tensor:
    """float32 scalar in nats: -sum of log p(label) over labels that are not IGNORED; 0 if there are none.

    The caller divides it by their number over all processes: a mean per process would weigh labels more in a process
    with more padding.
    """
    return F.cross_entropy(logits_BLV.flatten(0, 1).float(), labels_BL.flatten(), ignore_index=IGNORED, reduction="sum")
