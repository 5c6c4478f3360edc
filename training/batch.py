"""What every objective gives, inputs, labels and which labels count, and the same as tensors. B rows, L tokens that
the model reads."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:  # slow to import
    import torch
    from torch import Tensor

IGNORED = -100  # label without a loss; the default of torch.nn.functional.cross_entropy


class Example(NamedTuple):
    """Rows as NumPy arrays."""

    inputs: npt.NDArray[np.int64]  # [B, L]
    labels: npt.NDArray[np.int64]  # [B, L]
    mask: npt.NDArray[np.bool_]  # [B, L], True where the label carries loss
    segments: npt.NDArray[np.int32]  # [B, L], number of each input's document within its row, 0 for padding


@dataclass(frozen=True)
class Batch:
    """Rows as tensors on one device."""

    inputs: "Tensor"  # int64[B, L]
    labels: "Tensor"  # int64[B, L], IGNORED where they carry no loss
    segments: "Tensor"  # int32[B, L]
    valid: int  # labels that carry loss

    @classmethod
    def of(cls, example: Example, device: "torch.device") -> "Batch":
        """The example on a device."""
        import torch

        labels = np.where(example.mask, example.labels, IGNORED)
        arrays = (example.inputs, labels, example.segments)
        tensors = [torch.from_numpy(array).to(device, non_blocking=True) for array in arrays]
        return cls(tensors[0], tensors[1], tensors[2], int(example.mask.sum()))
