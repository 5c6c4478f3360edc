"""Lines of prose, apart from headings, menus, items of lists, rows of tables and code.

A line is prose if it has at least SHORT bytes, CELL bytes for each tab or "|" (so that a row of a table whose cells
hold paragraphs is prose), and either ends like a sentence or has at least LONG bytes. Bytes of UTF-8 weigh scripts: a
Chinese or Japanese character says about as much as three Latin letters. A line ends like a sentence if its last
character ends sentences in some script, not counting quotation marks, closing brackets and numbers in brackets
(references) after it.
"""

import numpy as np
import pyarrow as pa

from curation.core.shared_measures import shared
from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.kernel import Int, kernel
from curation.text.kernels.unicode import (
    CLOSING,
    DECIMAL,
    SPACE,
    TERMINAL,
    Classes,
    class_of,
    classes,
    decode,
    last_character,
)
from curation.text.lines import joined
from curation.text.matches import Bools
from curation.text.spans import TextSpans, line_spans

# bytes of a line
SHORT = 30
LONG = 200
CELL = 80  # bytes for each separator of cells
_TAB = 9
_PIPE = 124
# square brackets
_OPENING = 0x5B
_CLOSED = 0x5D


def ends_like_sentence(spans: TextSpans) -> Bools:
    """bool[S]: whether a span ends with a mark that ends sentences, apart from what may follow it."""
    return _ends_like_sentence(spans.data, spans.starts, spans.stops, classes())


@shared
def prose_lines(array: pa.Array | pa.ChunkedArray) -> pa.Array:
    """large_string[N]: the lines of prose of text[N], without whitespace around them and one a line."""
    lines = line_spans(array)
    wanted = _prose(lines.data, lines.starts, lines.stops, ends_like_sentence(lines))
    return joined(lines, wanted)


@kernel
def _before_reference(data: Bytes, start: Int, stop: Int, table: Classes) -> Int:
    """Where "[12]" at the end of data[start:stop] begins; `stop` if there is none."""
    at = stop - 1
    if data[at] != _CLOSED:
        return stop
    while at > start:
        place = last_character(data, start, at)
        if not class_of(table, decode(data, place, at)[0]) & DECIMAL:
            break
        at = place
    return at - 1 if start < at < stop - 1 and data[at - 1] == _OPENING else stop


@kernel
def _ends_like_sentence(data: Bytes, starts: Indices, stops: Indices, table: Classes) -> Bools:
    ends = np.zeros(starts.size, np.bool_)
    for span in range(starts.size):
        start = starts[span]
        stop = stops[span]
        while start < stop:
            before = _before_reference(data, start, stop, table)
            if before < stop:
                stop = before
                continue
            at = last_character(data, start, stop)
            flags = class_of(table, decode(data, at, stop)[0])
            ends[span] = flags & TERMINAL != 0
            if not flags & (CLOSING | SPACE):
                break
            stop = at
    return ends


@kernel
def _prose(data: Bytes, starts: Indices, stops: Indices, ends: Bools) -> Bools:
    prose = np.zeros(starts.size, np.bool_)
    for line in range(starts.size):
        size = stops[line] - starts[line]
        if size < SHORT or (size < LONG and not ends[line]):
            continue
        cells = 0
        for at in range(starts[line], stops[line]):
            cells += data[at] == _TAB or data[at] == _PIPE
        prose[line] = size >= CELL * cells
    return prose
