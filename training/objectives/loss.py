"""Cross entropy as a sum over the labels that count, which the caller divides by their number over all processes.

A mean per process would weigh labels more in a process with more padding.
"""

import torch.nn.functional as F
from torch import Tensor

from training.objectives.example import IGNORED


def cross_entropy_sum(logits_BLV: Tensor, labels_BL: Tensor) -> Tensor:
    """float32 scalar in nats: -sum of log p(label) over labels that are not IGNORED; 0 if there are none."""
    return F.cross_entropy(logits_BLV.flatten(0, 1).float(), labels_BL.flatten(), ignore_index=IGNORED, reduction="sum")
