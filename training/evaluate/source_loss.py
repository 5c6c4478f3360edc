"""The loss of a source's rows, added up. B rows, K labels of a row, V ids of the tokenizer."""

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from training.batch import Batch

Bytes: TypeAlias = npt.NDArray[np.int64]  # [V]: of each token's text
Figures: TypeAlias = dict[str, float | None]


@dataclass
class SourceLoss:
    """Added up over a source's rows."""

    rows: int = 0
    nats: float = 0.0
    labels: float = 0.0  # by their weights
    utf8_bytes: float = 0.0

    def add(self, nats: float, labels: float, utf8_bytes: float) -> None:
        """One row."""
        self.rows += 1
        self.nats += nats
        self.labels += labels
        self.utf8_bytes += utf8_bytes

    def record(self) -> Figures:
        """Nats per label and what follows from them; None where there is nothing to divide by."""
        loss = self.nats / self.labels if self.labels else None
        return {
            "rows": self.rows,
            "labels": self.labels,
            "loss": loss,
            "perplexity": None if loss is None else math.exp(min(loss, 700.0)),
            "bits_per_byte": self.nats / math.log(2) / self.utf8_bytes if self.utf8_bytes else None,
        }


def byte_table(utf8_bytes: Bytes | None, device: torch.device) -> Tensor:
    """float64[V] for `row_sums`; where nothing is known of the tokens, none has bytes."""
    return torch.from_numpy(np.zeros(1, np.int64) if utf8_bytes is None else utf8_bytes).double().to(device)


def row_sums(batch: Batch, nats: Tensor, table: Tensor) -> Tensor:
    """float64[B, 3]: of each row `nats`, which are given, labels by their weights, and bytes of these. Ids beyond the
    table, which were appended for an objective, have none."""
    weights = batch.weights.double()
    sizes = table[batch.labels.clamp(max=len(table) - 1)] * (batch.labels < len(table))
    return torch.stack([nats.double(), weights.sum(dim=1), (sizes * weights).sum(dim=1)], dim=1)
