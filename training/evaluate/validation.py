"""How well a model predicts held-out tokens, beside what a model without any context could reach at best.

The yardstick is the entropy of the validation labels' own frequencies: no unigram model does better on these very
labels, so a loss clearly below it shows that the context is used.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor, nn

from training.objectives.example import IGNORED, Batch
from training.objectives.loss import cross_entropy_sum


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
        """Loss over unigram entropy: below 1 the context is used; NaN where all labels are the same."""
        return self.loss / self.unigram_entropy if self.unigram_entropy else math.nan

    def record(self, bytes_per_token: float | None) -> dict[str, float | None]:
        """As metrics.jsonl and result.json have it; no bits per byte where the bytes of a token are not known."""
        return {
            "loss": self.loss,
            "unigram_entropy": self.unigram_entropy,
            "ratio": self.ratio,
            "perplexity": self.perplexity,
            "bits_per_byte": None if bytes_per_token is None else self.loss / math.log(2) / bytes_per_token,
            "labels": self.tokens,
        }


def validate(model: nn.Module, batches: Iterable[Batch], vocabulary: int) -> Validation:
    """Over all processes of the default group; each must give as many batches as the others.

    Raises ValueError where no label counts.
    """
    counts: Tensor | None = None
    loss = 0.0
    with torch.no_grad():
        for batch in batches:
            loss += float(cross_entropy_sum(model(batch.inputs, batch.segments), batch.labels))
            seen = torch.bincount(batch.labels[batch.labels != IGNORED], minlength=vocabulary)
            counts = seen if counts is None else counts + seen
    if counts is None:
        raise ValueError("no validation batches; pack the data with a validation share")
    sums = torch.cat([counts.double(), torch.tensor([loss], dtype=torch.float64, device=counts.device)])
    dist.all_reduce(sums)
    tokens = int(sums[:-1].sum())
    if not tokens:
        raise ValueError("the validation rows hold padding only; pack the data with a larger validation share")
    return Validation(loss=float(sums[-1]) / tokens, unigram_entropy=entropy(sums[:-1]), tokens=tokens)


def entropy(counts: Tensor) -> float:
    """Of the distribution that is proportional to `counts` (not all 0), in nats."""
    shares = counts[counts > 0].double() / counts.sum()
    return float(-(shares * shares.log()).sum())
