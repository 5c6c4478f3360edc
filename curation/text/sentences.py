"""Sentences as spans of bytes, by one simple rule for all languages.

A sentence ends at a line break, and after marks that end sentences (full stop, question mark, danda, …: the class
TERMINAL) with the quotation marks and closing brackets that follow them, if whitespace or nothing comes next. The wide
marks of Chinese and Japanese need no whitespace. Whitespace around a sentence is not of it; what is left empty is none.

So "e.g. this" ends a sentence and "3.5" does not; an abbreviation is told from an end by no rule so short.
"""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from numba import types

from curation.text.kernels.blocks import BLOCK, REACH, below, character_bits, equal, first_bits, lowest, window
from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.compiled import BYTES, INDICES, INT64_PAIR, OUT_INT64, TABLE, Int, kernel
from curation.text.kernels.unicode import CLOSING, SPACE, TERMINAL, class_of, classes, decode, strip, terminal_leads
from curation.text.shared_measures import shared
from curation.text.spans import Spans, spans_of

_NEWLINE = 10
_STOP, _QUESTION, _EXCLAMATION = 0x2E, 0x3F, 0x21


@shared
def sentence_spans(array: pa.Array | pa.ChunkedArray) -> Spans:
    """Sentences of text[N]."""
    data, offsets = text_buffers(array)
    first = np.zeros(len(offsets), np.int64)
    most = (int(offsets[-1] - offsets[0]) + len(offsets)) // 2 + 1  # ends and spaces take turns; wide marks are longer
    starts, stops = np.empty(most, np.int64), np.empty(most, np.int64)
    _find_sentences(data, offsets, classes(), terminal_leads(), starts, stops, first)
    return spans_of(data, starts, stops, first)


@kernel(types.boolean(types.int64))
def _is_wide(code: Int) -> bool:
    return code == 0x3002 or code == 0xFF01 or code == 0xFF0E or code == 0xFF1F or code == 0xFF61


@kernel(INT64_PAIR(BYTES, types.int64, types.int64, TABLE))
def _sentence_end(data: Bytes, at: Int, stop: Int, table: npt.NDArray[np.uint16]) -> tuple[Int, Int]:
    """Where a sentence that has a mark at byte `at` ends, -1 where it does not; and the byte to look on from."""
    code, size = decode(data, at, stop)
    if not class_of(table, code) & TERMINAL:
        return -1, at + size
    wide = False
    while at < stop:
        code, size = decode(data, at, stop)
        flags = class_of(table, code)
        if not flags & (TERMINAL | CLOSING):
            return at if wide or flags & SPACE else -1, at
        wide |= _is_wide(code)
        at += size
    return stop, stop


@kernel(types.void(BYTES, INDICES, TABLE, BYTES, OUT_INT64, OUT_INT64, OUT_INT64))
def _find_sentences(
    data: Bytes,
    offsets: Indices,
    table: npt.NDArray[np.uint16],
    leads: Bytes,
    starts: Indices,
    stops: Indices,
    first: Indices,
) -> None:
    """Fill the parts of `Spans`, all but `characters`."""
    pad, found = np.zeros(REACH, np.uint8), 0
    for document in range(offsets.size - 1):
        begin, stop = offsets[document], offsets[document + 1]
        free = begin
        for block in range(begin, stop + 1, BLOCK):
            address = window(data, block, pad)
            marks = equal(address, _STOP) | equal(address, _QUESTION) | equal(address, _EXCLAMATION)
            marks |= equal(address, _NEWLINE) | character_bits(address) & ~below(address, 0x80)
            marks &= first_bits(stop - block)
            while marks or block + BLOCK > stop >= begin:
                at = block + lowest(marks) if marks else stop
                marks &= marks - np.uint64(1)
                end = at
                if at < stop and (at < free or not leads[data[at]]):
                    continue
                if at < stop and data[at] != _NEWLINE:
                    end, free = _sentence_end(data, at, stop, table)
                if end >= 0:
                    start, last = strip(data, begin, end, table)
                    if start < last:
                        starts[found], stops[found] = start, last
                        found += 1
                    begin = end if end < stop else stop + 1
        first[document + 1] = found
