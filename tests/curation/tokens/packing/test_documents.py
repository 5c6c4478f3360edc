"""What a batch holds: null documents left out, and ids checked at the limit and one past it."""

import numpy as np
import pyarrow as pa
import pytest

from curation.core.errors import UserError
from curation.tokens.packing.documents import lay, token_values, with_tokens
from tests.curation.tokens.support import VOCABULARY


def lists(*values: list[int] | None, kind: pa.DataType | None = None) -> pa.Array:
    return pa.array(values, pa.large_list(kind or pa.uint16()))


def test_documents_without_tokens_are_left_out() -> None:
    batch = pa.RecordBatch.from_pydict({"tokens": lists([1], None, [2, 3], []), "n": pa.array([0, 1, 2, 3])})
    assert with_tokens(batch).column("n").to_pylist() == [0, 2]
    whole = batch.slice(2, 1)
    assert with_tokens(whole) is whole


def test_values_of_a_slice_begin_with_its_first_document() -> None:
    values, starts = token_values(lists([7, 8], [1], [2, 3])[1:], VOCABULARY)
    assert values.tolist() == [1, 2, 3]
    assert starts.tolist() == [0, 1, 3]


def test_no_documents_have_no_values() -> None:
    values, starts = token_values(lists(), VOCABULARY)
    assert (values.tolist(), starts.tolist()) == ([], [0])


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        pytest.param(lists([999, 1000]), "a token has id 1,000, the tokenizer's vocabulary ends before 1,000", id="id"),
        pytest.param(lists([1], kind=pa.uint32()), "tokens are .*uint32.*the tokenizer's are uint16", id="width"),
    ],
)
def test_refused(tokens: pa.Array, message: str) -> None:
    with pytest.raises(UserError, match=message):
        token_values(tokens, VOCABULARY)


@pytest.mark.parametrize("dtype", ["<u2", "<u4"])
def test_documents_are_laid_end_to_end(dtype: str) -> None:
    tokens = np.arange(10, dtype=dtype)
    out = np.zeros(5, dtype)
    lay(tokens, np.array([7, 0, 3]), np.array([2, 1, 2]), out)
    assert out.tolist() == [7, 8, 0, 3, 4]
