"""Sentences as spans of bytes, by one simple rule for all languages.

A sentence ends at a line break, or after a run of TERMINAL marks (full stop, question mark, danda, …), quotation marks
and closing brackets if whitespace or nothing follows. The wide marks of Chinese and Japanese need no whitespace.
Whitespace around a sentence is left out, and so are empty sentences.

So "3.5" does not end a sentence, but "e.g. this" does: no rule this short recognises abbreviations.
"""

import numpy as np
import pyarrow as pa

from curation.core.shared_measures import shared
from curation.text.kernels.blocks import BLOCK, REACH, character_bits, first_bits, window
from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.compiler.instructions import below, equal, lowest
from curation.text.kernels.compiler.kernel import Int, kernel
from curation.text.kernels.unicode import (
    CLOSING,
    SPACE,
    TERMINAL,
    Classes,
    class_of,
    classes,
    decode,
    strip,
    terminal_leads,
)
from curation.text.spans import Bounds, TextSpans, room_for, spans_of

_NEWLINE = 10
_STOP = 0x2E
_QUESTION = 0x3F
_EXCLAMATION = 0x21


@shared
def sentence_spans(array: pa.Array | pa.ChunkedArray) -> TextSpans:
    """Sentences of text[N]."""
    data, offsets = text_buffers(array)
    # A sentence takes at least two bytes: one and the space after it. Wide marks take three.
    bounds = room_for((int(offsets[-1] - offsets[0]) + len(offsets)) // 2 + 1, offsets)
    _find_sentences(data, offsets, classes(), terminal_leads(), bounds)
    return spans_of(data, bounds)


@kernel
def _is_wide(code: Int) -> bool:
    return code == 0x3002 or code == 0xFF01 or code == 0xFF0E or code == 0xFF1F or code == 0xFF61


@kernel
def _sentence_end(data: Bytes, at: Int, stop: Int, table: Classes) -> tuple[Int, Int]:
    """Where a sentence with a mark at byte `at` ends, or -1 if it goes on; and the byte at which to continue."""
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


@kernel
def _find_sentences(data: Bytes, offsets: Indices, table: Classes, leads: Bytes, out: Bounds) -> None:
    pad = np.zeros(REACH, np.uint8)
    sentence = 0
    starts, stops, first = out
    for document in range(offsets.size - 1):
        begin = offsets[document]
        stop = offsets[document + 1]
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
                        starts[sentence] = start
                        stops[sentence] = last
                        sentence += 1
                    begin = end if end < stop else stop + 1
        first[document + 1] = sentence
