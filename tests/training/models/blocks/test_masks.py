"""Which keys a query sees, by hand, for documents, prefixes and windows; and where documents begin."""

import numpy as np
import pytest
import torch

from tests.training.models.made import example_of
from training.batch import Batch, Kind
from training.models.blocks.masks import by_rule, has_varlen, visible

CPU = torch.device("cpu")


def batch(seen: list[int] | None = None) -> Batch:
    segments = torch.tensor([[1, 1, 2, 2, 0]])
    marks = None if seen is None else torch.tensor([seen]).bool()
    return Batch(inputs=segments, labels=segments, weights=segments.float(), segments=segments, seen=marks)


@pytest.mark.parametrize(
    ("seen", "reach", "rows"),
    [
        pytest.param(None, None, ["10000", "11000", "00100", "00110", "00001"], id="documents"),
        pytest.param([0, 1, 1, 0, 0], None, ["11000", "11000", "00100", "00110", "00001"], id="a prefix is seen"),
        pytest.param([1, 1, 1, 1, 1], None, ["11000", "11000", "00110", "00110", "00001"], id="all is seen"),
        pytest.param([1, 1, 1, 1, 1], 0, ["10000", "01000", "00100", "00010", "00001"], id="its own place only"),
        pytest.param(None, 0, ["10000", "01000", "00100", "00010", "00001"], id="a window of one token"),
    ],
)
def test_what_is_visible(seen: list[int] | None, reach: int | None, rows: list[str]) -> None:
    found = visible(batch(seen), dtype=torch.float32, reach=reach)
    assert found.mask is not None
    assert found.mask.shape == (1, 1, 5, 5)
    assert ["".join(str(int(one)) for one in row) for row in found.mask[0, 0]] == rows


def test_a_window_reaches_to_each_side() -> None:
    segments = torch.ones(1, 9, dtype=torch.int32)
    seen = torch.ones(1, 9, dtype=torch.bool)
    whole = Batch(inputs=segments, labels=segments, weights=segments.float(), segments=segments, seen=seen)
    mask = visible(whole, dtype=torch.float32, reach=2).mask
    assert mask is not None
    assert mask[0, 0, 4].tolist() == [False, False, True, True, True, True, True, False, False]


def test_a_rule_of_other_queries_than_keys() -> None:
    found = by_rule(lambda row, head, query, key: (key == query + 1) & (row == 1), (2, 2, 3), CPU)
    assert found.mask is not None
    assert found.mask.int().tolist() == [[[[0, 0, 0], [0, 0, 0]]], [[[0, 1, 0], [0, 0, 1]]]]


def test_without_segments_there_is_no_mask() -> None:
    found = visible(Batch.of([example_of(Kind.PLAIN)], together=True), dtype=torch.float32)
    assert (found.mask, found.block_mask, found.starts) == (None, None, None)


@pytest.mark.parametrize(
    ("reach", "rows"),
    [
        pytest.param(2, ["1000", "1100", "1110", "0111"], id="three tokens of four"),
        pytest.param(3, None, id="as long as the row: no mask"),
    ],
)
def test_a_window_of_rows_without_segments(reach: int, rows: list[str] | None) -> None:
    inputs = torch.zeros(1, 4, dtype=torch.int64)
    whole = Batch(inputs=inputs, labels=inputs, weights=inputs.float(), segments=None)
    mask = visible(whole, dtype=torch.float32, reach=reach).mask
    assert (None if mask is None else ["".join(str(int(one)) for one in row) for row in mask[0, 0]]) == rows


def test_documents_of_joined_rows() -> None:
    """Rows of 12 with documents of 5 and 4 tokens and padding, which is a document for itself; 8 are a power of two."""
    starts = Batch.of([example_of(Kind.PLAIN), example_of(Kind.PLAIN, segments=np.ones(12, np.int32))]).starts
    assert starts is not None
    assert starts.dtype == torch.int32
    assert starts.tolist() == [0, 5, 9, 12, 24, 24, 24, 24]
    assert Batch.of([example_of(Kind.PREFIXED)]).starts is None
    assert not has_varlen(CPU, torch.bfloat16)
