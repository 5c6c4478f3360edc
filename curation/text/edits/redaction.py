"""Replaces spans that name what they hold, such as an e-mail address, and counts them by kind.

A text's spans ascend by their first byte and do not overlap. N documents, S spans, K kinds.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.text.kernels.buffers import Indices, offsets_of, text_buffers
from curation.text.spans import Bounds, TextSpans, spans_of

SPAN = pa.struct([("kind", pa.string()), ("start", pa.int64()), ("end", pa.int64()), ("score", pa.float32())])
SPANS = pa.list_(SPAN)  # bytes [start, end) of a text in UTF-8; how `score` is to be read depends on the finder


def placed(text: pa.Array, spans: pa.Array) -> TextSpans:
    """SPANS[N] as bytes of text[N].

    Raises ValueError for a span that is empty, outside its text, or begins before the one before it ends.
    """
    data, offsets = text_buffers(text)
    first = offsets_of(pc.fill_null(pc.list_value_length(spans), 0).to_numpy(zero_copy_only=False).astype(np.int64))
    row = np.repeat(np.arange(len(text)), np.diff(first))
    found = pc.list_flatten(spans)
    starts, stops = (pc.struct_field(found, name).to_numpy(zero_copy_only=False) for name in ("start", "end"))
    starts = starts + offsets[row]
    stops = stops + offsets[row]
    wrong = (starts < offsets[row]) | (stops > offsets[row + 1]) | (starts >= stops)
    wrong[1:] |= starts[1:] < stops[:-1]
    if wrong.any():
        raise ValueError("expected spans inside their text, in order and without overlaps")
    return spans_of(data, Bounds(starts, stops, first))


def count_kinds(spans: pa.Array, kinds: Sequence[str]) -> dict[str, Indices]:
    """Kind -> int64[N]: its spans in each of SPANS[N]. A kind that is not among `kinds` is not counted."""
    sizes = pc.fill_null(pc.list_value_length(spans), 0).to_numpy(zero_copy_only=False)
    row = np.repeat(np.arange(len(spans)), sizes)
    number = pc.index_in(pc.struct_field(pc.list_flatten(spans), "kind"), pa.array(kinds, pa.string()))
    number = pc.fill_null(number, -1).to_numpy(zero_copy_only=False)
    present = set(np.unique(number).tolist())
    none = np.zeros(len(spans), np.int64)
    return {
        kind: np.bincount(row[number == k], minlength=len(spans)).astype(np.int64) if k in present else none
        for k, kind in enumerate(kinds)
    }
