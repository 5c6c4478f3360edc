"""Spans of many rows as one list per row; spans that overlap or touch become one.

Dedup methods of spans, filters that list spans, and the engine share this form. N rows, S spans; bounds are bytes of a
row's UTF-8 text.
"""

import numpy as np
import pyarrow as pa

from curation.core.document import SPANS
from curation.core.protocols import Ints
from curation.text.kernels.compiler.kernel import Out, kernel


def merge_spans(row: Ints, start: Ints, stop: Ints, rows: int) -> pa.ListArray:
    """SPANS[N], N = `rows`, from spans [start, stop) int64[S] of rows int64[S] in [0, N), in any order.

    Each list ascends, with at least one byte between two spans. It is empty for a row without spans. Empty spans are
    left out.
    """
    order = np.lexsort((start, row))
    starts = start[order]
    stops = stop[order]
    offsets = np.zeros(rows + 1, np.int64)
    merged = _merge(row[order], starts, stops, offsets)
    return span_lists(np.cumsum(offsets), starts[:merged], stops[:merged])


def span_lists(offsets: Ints, starts: Ints, stops: Ints) -> pa.ListArray:
    """SPANS[N] of spans int64[S] in the order of their rows, given offsets int64[N + 1] as of a list array."""
    bounds = pa.StructArray.from_arrays([pa.array(starts), pa.array(stops)], fields=list(SPANS.value_type))
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), bounds)


@kernel
def _merge(row: Ints, starts: Out[Ints], stops: Out[Ints], counts: Out[Ints]) -> int:
    """Merge spans sorted by (row, start) in place, counting them per row in counts[row + 1]; returns their number."""
    merged = 0
    last = -1
    for span in range(row.size):
        start = starts[span]
        stop = stops[span]
        if start >= stop:
            continue
        if row[span] == last and start <= stops[merged - 1]:
            stops[merged - 1] = max(stops[merged - 1], stop)
        else:
            starts[merged] = start
            stops[merged] = stop
            last = row[span]
            counts[last + 1] += 1
            merged += 1
    return merged
