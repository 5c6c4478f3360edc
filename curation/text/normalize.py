"""The normal form in which texts are compared: simple lower case, one space between words, none at the ends.

Invisible characters that carry no meaning are left out (`curation/text/edits/invisible.py`), and the empty cell of
Braille counts as a space: nobody can tell texts that differ in these. Punctuation and digits stay: texts that differ in
them are different. Accents are not composed (NFC) either: that is the work of a rewriter, once for all later stages.
"""

import numpy as np
import pyarrow as pa

from curation.text.edits.invisible import without_invisible
from curation.text.kernels.buffers import Bytes, Indices, text_array, text_buffers
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.unicode import (
    EMPTY_CELL,
    REPLACEMENT,
    SPACE,
    Cases,
    Classes,
    class_of,
    classes,
    decode,
    encode,
    lower_cases,
    lower_of,
)

_BLANK = 32


def normalized(array: pa.Array | pa.ChunkedArray) -> pa.Array:
    """large_string[N]: text[N] in normal form; empty where nothing can be seen, as in null and blank texts.

    Invalid UTF-8 stays.
    """
    data, offsets = text_buffers(without_invisible(array)[0])
    # Lower case may be longer: U+023A has two bytes, its lower case U+2C65 three.
    out = np.empty((int(offsets[-1] - offsets[0]) * 3 + 1) // 2, np.uint8)
    ends = np.zeros(len(offsets), np.int64)
    _normalize(data, offsets, classes(), lower_cases(), out, ends)
    return text_array(out[: ends[-1]], ends)


@kernel
def _normalize(
    data: Bytes, offsets: Indices, table: Classes, lower: Cases, out: Out[Bytes], ends: Out[Indices]
) -> None:
    """Write the texts to `out`; document d ends at ends[d + 1]."""
    to: Int = 0
    for document in range(offsets.size - 1):
        at = offsets[document]
        stop = offsets[document + 1]
        begin = to
        pending = 0
        while at < stop:
            code, size = decode(data, at, stop)
            if class_of(table, code) & SPACE or code == EMPTY_CELL:
                pending = 1 if to > begin else 0
            else:
                if pending:
                    out[to] = _BLANK
                    to += 1
                    pending = 0
                if code == REPLACEMENT:
                    for k in range(size):
                        out[to + k] = data[at + k]
                    to += size
                else:
                    to = encode(out, to, lower_of(lower, code))
            at += size
        ends[document + 1] = to
