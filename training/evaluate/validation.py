"""How well a model predicts held-out tokens, compared with the best model that ignores context.

The yardstick is the entropy of the validation labels' own frequencies: no unigram model does better on these labels, so
a loss clearly below it shows that the model uses context.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from training.batch import SourceBatch
from training.config.arithmetic import micro_batches
from training.config.run import TrainConfig
from training.evaluate.source_loss import Bytes, SourceLoss, byte_table, row_sums
from training.parallel.mesh import RefusedError, Worker
from training.parallel.sharded import Passes


@dataclass(frozen=True)
class Validation:
    """Nats per token throughout."""

    loss: float
    unigram_entropy: float
    tokens: int  # labels that were scored
    utf8_bytes: int | None  # of their text; None if the tokenizer does not say
    sources: Mapping[str, SourceLoss] = field(default_factory=dict)

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

    def record(self) -> dict[str, Any]:
        """The fields of metrics.jsonl and result.json; `sources` only where there are several."""
        by_source = {name: one.record() for name, one in self.sources.items()}
        return {
            **({"sources": by_source} if len(by_source) > 1 else {}),
            "loss": self.loss,
            "unigram_entropy": self.unigram_entropy,
            "ratio": self.ratio,
            "perplexity": self.perplexity,
            "bits_per_byte": self.bits_per_byte,
            "labels": self.tokens,
        }


def validate(
    passes: Passes,
    batches: Iterable[SourceBatch],
    worker: Worker,
    config: TrainConfig,
    utf8_bytes: Bytes | None,
    sources: Sequence[str],
) -> Validation:
    """Validates over all processes of the group, which must all have as many batches as a step has, or a
    multiple.

    `config` has the model's vocabulary; `utf8_bytes`: int64 of the text of each of the tokenizer's tokens; `sources`
    are those of the rows. Raises RefusedError, in all of them, if no label counts.
    """
    vocabulary = config.model.vocabulary
    assert vocabulary
    places = {name: place for place, name in enumerate(["", *sources])}
    table = byte_table(utf8_bytes, worker.device)
    # Of each source nats, labels, bytes and rows.
    sums: Tensor = torch.zeros(len(places), 4, dtype=torch.float64, device=worker.device)
    counts: Tensor = torch.zeros(vocabulary, dtype=torch.float64, device=worker.device)
    with torch.no_grad():
        together = micro_batches(config, config.batch_rows // worker.layout.readers)
        waiting = iter(batches)
        while some := list(islice(waiting, together)):
            read = [batch.to(worker.device) for _, batch in some]
            for own, batch, losses in zip(some, read, passes.losses(read), strict=True):
                counts += torch.bincount(batch.labels.flatten(), batch.weights.flatten().double(), vocabulary)
                where = torch.tensor([places[name] for name in own.sources], device=worker.device)
                sums[:, :3].index_add_(0, where, row_sums(batch, losses.nats, table))
                sums[:, 3] += torch.bincount(where, minlength=len(places)) / worker.layout.context  # who share rows
    sums *= worker.speaks
    counts *= worker.speaks
    dist.all_reduce(sums)
    dist.all_reduce(counts)
    tokens = float(counts.sum())
    if not tokens:
        raise RefusedError(
            "the validation rows hold only padding; raise `validation` in `tokenize`, and run the recipe again"
        )
    by_source = zip(places, sums.tolist(), strict=True)
    found = {name: SourceLoss(round(rows), *others) for name, (*others, rows) in by_source if name and rows}
    nats, _, size, _ = sums.sum(dim=0).tolist()
    return Validation(nats / tokens, entropy(counts), round(tokens), None if utf8_bytes is None else round(size), found)


def entropy(counts: Tensor) -> float:
    """Nats of the distribution proportional to `counts`, which are not all 0."""
    shares = counts[counts > 0].double() / counts.sum()
    return float(-(shares * shares.log()).sum())
