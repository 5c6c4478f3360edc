"""The loss of a source's rows, added up."""

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

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
