"""The documents of a batch that go into one file: their names, and where their tokens are in the batch.

N documents. Tokens stay where they are until packing copies each one into its row.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.errors import UserError
from curation.tokens.packing import row_kernels
from curation.tokens.token_files import Tokens, Vocabulary

Ints = npt.NDArray[np.int64]
NAMES = pa.schema([("doc_id", pa.string()), ("url", pa.string()), ("document", pa.int64())])


@dataclass(frozen=True)
class Documents:
    """`names` [N] with the columns of NAMES; document i is tokens[starts[i] : starts[i] + lengths[i]], int64[N]."""

    names: pa.Table
    tokens: Tokens
    starts: Ints
    lengths: Ints

    def __len__(self) -> int:
        return len(self.starts)


def with_tokens(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The rows with tokens; a document that was taken down has null."""
    lists = batch.column("tokens")
    if lists.null_count == 0 and np.diff(np.asarray(lists.offsets)).all():
        return batch
    return batch.filter(pc.fill_null(pc.greater(pc.list_value_length(lists), 0), False))


def token_values(lists: pa.Array, vocabulary: Vocabulary) -> tuple[Tokens, Ints]:
    """The tokens of N lists (none null) end to end, and the offset of each, int64[N + 1], from 0.

    Raises UserError for tokens of another width than the vocabulary's, and for ids outside it.
    """
    if lists.type.value_type != pa.from_numpy_dtype(vocabulary.dtype):
        raise UserError(f"tokens are {lists.type}, the tokenizer's are {vocabulary.dtype.name}; encode again")
    offsets = np.asarray(lists.offsets).astype(np.int64)
    values: Tokens = np.asarray(lists.values)[offsets[0] : offsets[-1]]
    if len(values) and (largest := int(values.max())) >= vocabulary.size:
        raise UserError(
            f"a token has id {largest:,}, the tokenizer's vocabulary ends before {vocabulary.size:,}; encode again"
        )
    return values, offsets - offsets[0]


def lay(tokens: Tokens, starts: Ints, lengths: Ints, out: Tokens) -> None:
    """Copy N segments tokens[start : start + length] into `out`, end to end; they fill it exactly."""
    _copy(tokens, starts, lengths, np.array([len(starts)]), out.reshape(1, -1))


def gather(tokens: Tokens, starts: Ints, lengths: Ints, counts: Ints, *, row_tokens: int, padding: int) -> Tokens:
    """[R, row_tokens]: row r holds the next counts[r] segments tokens[start : start + length], then padding."""
    out = np.full((len(counts), row_tokens), padding, tokens.dtype)
    _copy(tokens, starts, lengths, counts, out)
    return out


def _copy(tokens: Tokens, starts: Ints, lengths: Ints, counts: Ints, out: Tokens) -> None:
    width = out.itemsize // 2
    row_kernels.gather(tokens.view(np.uint16), starts * width, lengths * width, counts, out.view(np.uint16))
