"""How well a model predicts held-out tokens, compared with the best model that ignores context.

The yardstick is the entropy of the validation labels' own frequencies: no unigram model does better on these labels, so
a loss clearly below it shows that the model uses context.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor

from training.batch import IGNORED, Batch
from training.trainable import Trainable


@dataclass(frozen=True)
class Validation:
    """Nats per token throughout."""

    loss: float
    unigram_entropy: float
    tokens: int  # labels that were scored

    @property
    def perplexity(self) -> float:
        return math.exp(self.loss)

    @property
    def ratio(self) -> float:
        """Loss over unigram entropy: below 1, context is used. NaN if all labels are the same."""
        return self.loss / self.unigram_entropy if self.unigram_entropy else math.nan

    def record(self, bytes_per_token: float | None) -> dict[str, float | None]:
        """The fields of metrics.jsonl and result.json; `bits_per_byte` is None if `bytes_per_token` is."""
        return {
            "loss": self.loss,
            "unigram_entropy": self.unigram_entropy,
            "ratio": self.ratio,
            "perplexity": self.perplexity,
            "bits_per_byte": None if bytes_per_token is None else self.loss / math.log(2) / bytes_per_token,
            "labels": self.tokens,
        }


def validate(model: Trainable, batches: Iterable[Batch], vocabulary: int) -> Validation:
    """Validates over all processes of the default group, which must all have the same number of batches.

    Raises ValueError if no label counts.
    """
    counts: Tensor | None = None
    loss = 0.0
    with torch.no_grad():
        for batch in batches:
            loss += float(model.loss(batch))
            seen = torch.bincount(batch.labels[batch.labels != IGNORED], minlength=vocabulary)
            counts = seen if counts is None else counts + seen
    if counts is None:
        raise ValueError("no validation batches; raise `validation` in `tokenize`, and run the recipe again")
    sums = torch.cat([counts.double(), torch.tensor([loss], dtype=torch.float64, device=counts.device)])
    dist.all_reduce(sums)
    tokens = int(sums[:-1].sum())
    if not tokens:
        raise ValueError(
            "the validation rows hold only padding; raise `validation` in `tokenize`, and run the recipe again"
        )
    return Validation(loss=float(sums[-1]) / tokens, unigram_entropy=entropy(sums[:-1]), tokens=tokens)


def entropy(counts: Tensor) -> float:
    """Nats of the distribution proportional to `counts`, which are not all 0."""
    shares = counts[counts > 0].double() / counts.sum()
    return float(-(shares * shares.log()).sum())
