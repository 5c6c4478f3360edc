"""From examples to tensors: stacked by name, left out where a kind has no use for them, moved as one."""

import numpy as np
import torch

from training.batch import Batch, Example

ROW = Example(
    inputs=np.array([5, 6, 7]),
    segments=np.array([1, 1, 2], np.int32),
    labels=np.array([6, 7, 0]),
    weights=np.array([1, 1, 0.5], np.float32),
)


def test_rows_are_stacked_and_what_no_row_has_is_none() -> None:
    batch = Batch.of([ROW, ROW], label_smoothing=0.1)
    assert batch.inputs.tolist() == [[5, 6, 7]] * 2
    assert batch.weights.dtype == torch.float32
    assert batch.segments is not None
    assert batch.segments.dtype == torch.int32
    assert (batch.seen, batch.targets, batch.label_smoothing, batch.z_loss) == (None, None, 0.1, 0.0)


def test_documents_that_may_see_each_other_need_no_segments() -> None:
    assert Batch.of([ROW], together=True).segments is None


def test_all_of_a_batch_moves() -> None:
    moved = Batch.of([ROW], z_loss=1e-4).to(torch.device("meta"))
    assert moved.labels.is_meta
    assert moved.seen is None
    assert moved.z_loss == 1e-4
