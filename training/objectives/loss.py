"""Cross entropy as a sum over the labels that count; who divides, and by what, is the caller's.

A mean per process would weigh a label by how much padding shares its process; a sum divided by the count over all
processes does not.
"""

import torch.nn.functional as F
from torch import Tensor

from training.objectives.example import IGNORED


def cross_entropy_sum(logits_BLV: Tensor, labels_BL: Tensor) -> Tensor:
    """float32 scalar in nats: -sum of log p(label) over labels that are not IGNORED; 0 where there are none."""
    return F.cross_entropy(logits_BLV.flatten(0, 1).float(), labels_BL.flatten(), ignore_index=IGNORED, reduction="sum")
