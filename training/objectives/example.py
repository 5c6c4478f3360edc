"""What every objective gives the model: inputs, labels and which labels count.

B rows, L tokens per row that the model reads.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

IGNORED = -100  # label without a loss, as torch.nn.functional.cross_entropy has it


class Example(NamedTuple):
    """Rows as NumPy arrays."""

    inputs: npt.NDArray[np.int64]  # [B, L]
    labels: npt.NDArray[np.int64]  # [B, L]
    mask: npt.NDArray[np.bool_]  # [B, L], True where the label carries loss
    segments: npt.NDArray[np.int32]  # [B, L], the document of each input within its row, 0 for padding


@dataclass(frozen=True)
class Batch:
    """Rows as tensors on one device."""

    inputs: Tensor  # int64[B, L]
    labels: Tensor  # int64[B, L], IGNORED where they carry no loss
    segments: Tensor  # int32[B, L]
    valid: int  # labels that carry loss

    @classmethod
    def of(cls, example: Example, device: torch.device) -> "Batch":
        labels = np.where(example.mask, example.labels, IGNORED)
        inputs, labels_, segments = (
            torch.from_numpy(array).to(device, non_blocking=True)
            for array in (example.inputs, labels, example.segments)
        )
        return cls(inputs, labels_, segments, int(example.mask.sum()))
