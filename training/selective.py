"""Selective backpropagation: all rows of a step pass forward, and those with high losses are the ones that teach.

Source: Jiang et al. 2019, "Accelerating Deep Learning by Focusing on the Biggest Losers" (arXiv:1910.00762): a row is
taken with the probability CDF(loss)^beta, so of many rows 1 / (beta + 1) are. Choice: the distribution is that of the
step's own rows in all processes, not of a history of the last thousands, so there is nothing to keep in checkpoints and
a resumed training does as one that was never stopped. The draw of a row follows from seed, step and its place in the
step, whatever the number of processes. The row with the highest loss is always taken.
"""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from training.batch import Batch, document_starts
from training.parallel.mesh import Worker
from training.parallel.sharded import Passes

DRAWN = 0x5E1EC7  # keeps these draws apart from others of the seed

Floats = npt.NDArray[np.float64]


class ChosenRows(NamedTuple):
    """Of a step, with what its first pass found of all rows."""

    batches: list[Batch]  # of this process, as large as before and fewer where rows are few; the rest has no weight
    loss: Tensor  # float64: nats of a label, the mean over all rows of all processes
    share: float  # of all labels, by their weights


@torch.no_grad()
def choose_rows(
    batches: Sequence[Batch], passes: Passes, worker: Worker, *, beta: float, seed: int, step: int
) -> ChosenRows:
    """Of the step's micro-batches on the CPU, which all have the same number of rows. It waits for the device."""
    found = passes.losses([batch.to(worker.device) for batch in batches])
    nats = torch.cat([one.nats.double() for one in found]).cpu()
    weights = torch.cat([batch.weights.sum(dim=1, dtype=torch.float64) for batch in batches]).cpu()
    both: list[list[list[float]]] = worker.gather(torch.stack([nats, weights]).tolist())
    every_nats, every_weight = np.concatenate(both, axis=1)
    taken = taken_rows(every_nats, every_weight, beta, np.random.default_rng((seed, step, DRAWN)))
    rows = len(nats)
    by_process = taken.reshape(worker.world_size, rows)
    each = len(batches[0].weights)
    count = max(1, -(-int(by_process.sum(axis=1).max()) // each))  # micro-batches, the same in all processes
    total = max(float(every_weight.sum()), 1.0)
    return ChosenRows(
        _cut(batches, np.flatnonzero(by_process[worker.reader]), count, each),
        torch.tensor(float(every_nats.sum()) / total, dtype=torch.float64, device=worker.device),
        float(every_weight[taken].sum()) / total,
    )


def taken_rows(nats: Floats, weights: Floats, beta: float, rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    """bool[R]: of rows with a sum of losses and of weights each. Rows without weight are not taken; a loss that is no
    number counts as the highest, so that the step fails as any other."""
    drawn = rng.random(len(nats))
    counted = weights > 0
    losses = np.where(counted, nats / np.where(counted, weights, 1.0), -np.inf)
    order = np.argsort(np.where(np.isnan(losses), np.inf, losses), kind="stable")
    ranks = np.empty(len(losses))
    ranks[order] = np.arange(1, len(losses) + 1) - (~counted).sum()
    shares: Floats = np.clip(ranks / max(int(counted.sum()), 1), 0.0, 1.0)
    return counted & (drawn < shares**beta)


def _cut(batches: Sequence[Batch], rows: npt.NDArray[np.int64], count: int, each: int) -> list[Batch]:
    """The rows in `count` micro-batches of `each`, filled up with rows without weight."""
    room = np.zeros(count * each, np.int64)
    room[: len(rows)] = rows
    places = torch.from_numpy(room)
    columns: dict[str, Any] = {}
    for field in fields(Batch):
        values = [getattr(batch, field.name) for batch in batches]
        columns[field.name] = torch.cat(values)[places] if isinstance(values[0], Tensor) else values[0]
    for name in ("weights", "detection"):
        if columns[name] is not None:
            columns[name][len(rows) :] = 0.0
    made = []
    for first in range(0, count * each, each):
        cut = slice(first, first + each)
        own: dict[str, Any] = {
            name: value[cut] if isinstance(value, Tensor) else value for name, value in columns.items()
        }
        if own["starts"] is not None:
            own["starts"] = torch.from_numpy(document_starts(own["segments"].numpy()))
        made.append(Batch(**own))
    return made
