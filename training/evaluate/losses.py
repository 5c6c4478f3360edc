"""The loss of each source's rows, of the validation split and of rows that were trained on, and the gap between them.

A gap that grows from one checkpoint to the next while the training's own loss falls is overfitting: rows are learned by
heart. B rows, K labels, V vocabulary.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

import torch

from training.batch import Batch, SourceBatch
from training.config.arithmetic import step_rows
from training.data.batches import VALIDATION, draws, spread, together
from training.data.check import PreparedData
from training.evaluate.source_loss import Bytes, Figures, SourceLoss, byte_table, row_sums
from training.trainable import Trainable

ROWS = 16  # at a time
ALL = "all"  # the name of all sources together


def sample(prepared: PreparedData, split: Literal["train", "validation"], rows: int, steps: int) -> list[SourceBatch]:
    """At most so many rows, spread evenly over the validation split, or over what the first `steps` updates read."""
    config = prepared.config
    data = prepared.data
    if split == "train":
        places = spread(step_rows(config).positions(steps - 1).stop, rows)
        found = [(data.read(place, 1), place) for place in places]
    else:
        found = [(data.read_validation(row, 1), VALIDATION + row) for row in spread(data.validation_rows, rows)]
    drawn = [draws(config, prepared.ids, row, [position])[0].example for row, position in found]
    sources = [row.sources[0] for row, _ in found]
    cuts = [slice(first, first + ROWS) for first in range(0, len(drawn), ROWS)]
    return [SourceBatch(sources[cut], Batch.of(drawn[cut], together=together(config))) for cut in cuts]


def losses_by_source(
    model: Trainable, batches: Iterable[SourceBatch], utf8_bytes: Bytes | None
) -> dict[str, SourceLoss]:
    """By source, and of all together. `utf8_bytes`: int64[V] of each token's text, None where that is not known."""
    found: dict[str, SourceLoss] = {}
    for source, *figures in _rows(model, batches, utf8_bytes):
        for name in (ALL, source):
            found.setdefault(name, SourceLoss()).add(*figures)
    return found


def gaps(validation: Mapping[str, SourceLoss], train: Mapping[str, SourceLoss]) -> Figures:
    """Nats per label by which the validation rows of a source are worse than those that were trained on."""
    both = [
        (name, validation[name].record()["loss"], one.record()["loss"])
        for name, one in train.items()
        if name in validation
    ]
    return {name: held - seen for name, held, seen in both if held is not None and seen is not None}


@torch.no_grad()
def _rows(
    model: Trainable, batches: Iterable[SourceBatch], utf8_bytes: Bytes | None
) -> Iterator[tuple[str, float, float, float]]:
    device = next(model.parameters()).device
    table = byte_table(utf8_bytes, device)
    for sources, batch in batches:
        read = batch.to(device)
        rows = row_sums(read, model(read).nats, table).tolist()
        yield from ((source, *figures) for source, figures in zip(sources, rows, strict=True))
