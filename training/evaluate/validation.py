"""How well a model predicts held-out tokens, compared with the best model that ignores context.

The yardstick is the entropy of the validation labels' own frequencies: no unigram model does better on these labels, so
a loss clearly below it shows that the model uses context.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import torch
import torch.distributed as dist
from torch import Tensor

from training.batch import Batch
from training.config.arithmetic import micro_batches
from training.config.run import TrainConfig
from training.parallel.mesh import RefusedError, Worker
from training.parallel.sharded import Passes

Bytes: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Validation:
    """Nats per token throughout."""

    loss: float
    unigram_entropy: float
    tokens: int  # labels that were scored
    utf8_bytes: int | None  # of their text; None if the tokenizer does not say

    @property
    def perplexity(self) -> float:
        return math.exp(min(self.loss, 700.0))

    @property
    def ratio(self) -> float:
        """Loss over unigram entropy: below 1, context is used. NaN if all labels are the same."""
        return self.loss / self.unigram_entropy if self.unigram_entropy else math.nan

    @property
    def bits_per_byte(self) -> float | None:
        """Of the text of the scored labels; None if its bytes are not known."""
        return self.loss * self.tokens / math.log(2) / self.utf8_bytes if self.utf8_bytes else None

    def record(self) -> dict[str, float | None]:
        """The fields of metrics.jsonl and result.json."""
        return {
            "loss": self.loss,
            "unigram_entropy": self.unigram_entropy,
            "ratio": self.ratio,
            "perplexity": self.perplexity,
            "bits_per_byte": self.bits_per_byte,
            "labels": self.tokens,
        }


def validate(
    passes: Passes,
    batches: Iterable[Batch],
    worker: Worker,
    config: TrainConfig,
    utf8_bytes: Bytes | None,
) -> Validation:
    """Validates over all processes of the group, which must all have as many batches as a step has, or a
    multiple.

    `config` has the model's vocabulary; `utf8_bytes`: int64 of the text of each of the tokenizer's tokens. Raises
    RefusedError, in all of them, if no label counts.
    """
    vocabulary = config.model.vocabulary
    assert vocabulary
    nats: Tensor = torch.zeros((), dtype=torch.float64, device=worker.device)
    counts: Tensor = torch.zeros(vocabulary, dtype=torch.float64, device=worker.device)
    with torch.no_grad():
        together = micro_batches(config, config.batch_rows // worker.layout.readers)
        waiting = iter(batches)
        while some := [batch.to(worker.device) for batch in islice(waiting, together)]:
            nats += torch.stack([losses.nats.double().sum() for losses in passes.losses(some)]).sum()
            for batch in some:
                counts += torch.bincount(batch.labels.flatten(), batch.weights.flatten().double(), vocabulary)
    nats *= worker.speaks
    counts *= worker.speaks
    dist.all_reduce(nats)
    dist.all_reduce(counts)
    tokens = float(counts.sum())
    if not tokens:
        raise RefusedError(
            "the validation rows hold only padding; raise `validation` in `tokenize`, and run the recipe again"
        )
    size = None if utf8_bytes is None else round(float((counts.cpu()[: len(utf8_bytes)].numpy() * utf8_bytes).sum()))
    return Validation(float(nats) / tokens, entropy(counts), round(tokens), size)


def entropy(counts: Tensor) -> float:
    """Nats of the distribution proportional to `counts`, which are not all 0."""
    shares = counts[counts > 0].double() / counts.sum()
    return float(-(shares * shares.log()).sum())
