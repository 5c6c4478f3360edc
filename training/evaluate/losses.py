"""The loss of each source's rows, of the validation split and of rows that were trained on, and the gap between them.

A gap that grows from one checkpoint to the next while the training's own loss falls is overfitting: rows are learned by
heart. B rows, K labels, V vocabulary.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, replace
from itertools import islice
from typing import Any, Literal, TypeAlias

import numpy as np
import torch

from training.batch import Batch, SourceBatch
from training.config.arithmetic import step_rows
from training.data.batches import VALIDATION, draws, spread, together
from training.data.check import PreparedData
from training.evaluate.source_loss import Bytes, Figures, SourceLoss, byte_table, row_sums
from training.parallel.context import shared
from training.parallel.mesh import Worker
from training.parallel.sharded import Passes
from training.trainable import Losses, Trainable

ROWS = 16  # at a time
ALL = "all"  # the name of all sources together
Split: TypeAlias = Literal["validation", "train"]
SPLITS: tuple[Split, Split] = ("validation", "train")
LossesBySource: TypeAlias = Mapping[str, SourceLoss]
RowsOfSplit: TypeAlias = Callable[[Split], list[SourceBatch]]


def sample(
    prepared: PreparedData, split: Split, rows: int, steps: int, worker: Worker | None = None
) -> list[SourceBatch]:
    """At most so many rows, spread evenly over the validation split, or over what the first `steps` updates read.

    With a worker, this process's part of them: all processes get as many batches, filled up with rows of the source ""
    whose labels have no weight."""
    if split == "train":
        places = spread(step_rows(prepared.config).positions(steps - 1).stop, rows)
    else:
        places = [VALIDATION + row for row in spread(prepared.data.validation_rows, rows)]
    readers, reader = (worker.layout.readers, worker.reader) if worker else (1, 0)
    cuts = [places[first : first + ROWS * readers] for first in range(0, len(places), ROWS * readers)]
    batches = [_share(prepared, cut, reader, -(-len(cut) // readers)) for cut in cuts]
    if worker is None:
        return batches
    part = worker.part_of_rows, worker.layout.context
    return [SourceBatch(sources, shared(batch, *part)) for sources, batch in batches]


def _share(prepared: PreparedData, places: Sequence[int], reader: int, count: int) -> SourceBatch:
    """The `count` rows of a reader among those at these places; in place of missing ones the first, without weight."""
    config = prepared.config
    data = prepared.data
    mine = places[reader * count :][:count]
    drawn = []
    for place in [*mine, *([] if len(mine) == count else places[:1])]:
        row = data.read_validation(place - VALIDATION, 1) if place >= VALIDATION else data.read(place, 1)
        drawn.append((row.sources[0], draws(config, prepared.ids, row, [place])[0].example))
    missing = count - len(mine)
    if missing:
        _, first = drawn.pop()
        drawn += [("", replace(first, weights=np.zeros_like(first.weights)))] * missing
    sources, examples = zip(*drawn, strict=True)
    return SourceBatch(sources, Batch.of(examples, together=together(config)))


def losses_by_source(
    model: Trainable, batches: Iterable[SourceBatch], utf8_bytes: Bytes | None
) -> dict[str, SourceLoss]:
    """By source, and of all together. `utf8_bytes`: int64[V] of each token's text, None where that is not known."""
    device = next(model.parameters()).device
    return _added_up(lambda some: [model(batch) for batch in some], device, batches, utf8_bytes)


def losses_in_layout(
    passes: Passes, batches: Iterable[SourceBatch], utf8_bytes: Bytes | None, worker: Worker
) -> dict[str, SourceLoss]:
    """As `losses_by_source`, of the rows of all processes, which call it together with as many batches each."""
    own = _added_up(passes.losses, worker.device, batches, utf8_bytes, at_once=2 * worker.layout.pipeline)
    every = worker.gather(own if worker.speaks else {})
    found = {}
    for name in dict.fromkeys(name for one in every for name in one):
        rows, *sums = zip(*(astuple(one[name]) for one in every if name in one), strict=True)
        found[name] = SourceLoss(sum(rows) // worker.layout.context, *map(math.fsum, sums))
    return found


def losses_of_splits(losses: Callable[[list[SourceBatch]], LossesBySource], rows: RowsOfSplit) -> dict[str, Any]:
    """Records by split and source, and the gaps between both splits; `rows` gives those of a split."""
    held, seen = (losses(rows(split)) for split in SPLITS)
    by_split = zip(SPLITS, (held, seen), strict=True)
    records: dict[str, Any] = {split: {name: one.record() for name, one in by.items()} for split, by in by_split}
    return {**records, "gap": gaps(held, seen)}


def gaps(validation: Mapping[str, SourceLoss], train: Mapping[str, SourceLoss]) -> Figures:
    """Nats per label by which the validation rows of a source are worse than those that were trained on."""
    both = [
        (name, validation[name].record()["loss"], one.record()["loss"])
        for name, one in train.items()
        if name in validation
    ]
    return {name: held - seen for name, held, seen in both if held is not None and seen is not None}


@torch.no_grad()
def _added_up(
    losses: Callable[[Sequence[Batch]], list[Losses]],
    device: torch.device,
    batches: Iterable[SourceBatch],
    utf8_bytes: Bytes | None,
    *,
    at_once: int = 1,
) -> dict[str, SourceLoss]:
    """Adds up losses by source, of so many batches at a time."""
    table = byte_table(utf8_bytes, device)
    found: dict[str, SourceLoss] = {}
    waiting = iter(batches)
    while some := list(islice(waiting, at_once)):
        read = [one.batch.to(device) for one in some]
        for (sources, _), batch, one in zip(some, read, losses(read), strict=True):
            for source, figures in zip(sources, row_sums(batch, one.nats, table).tolist(), strict=True):
                for name in (ALL, source) if source else ():
                    found.setdefault(name, SourceLoss()).add(*figures)
    return found
