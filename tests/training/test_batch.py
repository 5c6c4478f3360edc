"""From an objective's arrays to tensors: what does not count is marked, and what counts is counted."""

import numpy as np
import torch

from training.batch import IGNORED, Batch, Example


def test_batch_marks_what_does_not_count() -> None:
    example = Example(
        inputs=np.array([[5, 6, 7], [8, 1, 1]]),
        labels=np.array([[6, 7, 0], [1, 1, 9]]),
        mask=np.array([[True, True, True], [False, False, True]]),
        segments=np.array([[1, 1, 2], [1, 0, 0]], np.int32),
    )
    batch = Batch.of(example, torch.device("cpu"))
    assert batch.inputs.tolist() == example.inputs.tolist()
    assert batch.labels.tolist() == [[6, 7, 0], [IGNORED, IGNORED, 9]]
    assert batch.segments.tolist() == example.segments.tolist()
    assert batch.valid == 4
    assert example.labels.tolist() == [[6, 7, 0], [1, 1, 9]]
