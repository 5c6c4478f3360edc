"""Blanks between the words of scripts that are written without them, so that all counts of words work as elsewhere.

Chinese, Japanese, Thai, Lao, Khmer and Burmese are cut by the word breaks of ICU (`icu4py`), which come from its
dictionaries: see Unicode Standard Annex 29. It alone of the libraries tried covers all six. A blank goes before a
letter or number where it, or the letter or number before, belongs to such a script; so a mark stays with the word
before it, and words of other scripts are as they are.

Cost, measured in November 2026 on one core: Chinese and Japanese 6 to 8 MB of UTF-8 a second, the others 16 to 20 MB; a
text without a character of these scripts is not read by ICU. Chinese characters as words would cost next to nothing,
but limits on words would mean something else.
"""

from typing import Literal

import numpy as np
import pyarrow as pa

from curation.core.shared_measures import shared
from curation.text.folded_words import stands_alone
from curation.text.kernels.blocks import copy_bytes
from curation.text.kernels.buffers import Bytes, Indices, text_array, text_buffers
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.unicode import LETTER, NUMBER, SPACE, Classes, class_of, classes, decode

Words = Literal["blanks", "segments"]
_LEAST_LEAD = 0xE0  # a character of these blocks takes three bytes or more
_BLANK = 32


def worded(array: pa.Array | pa.ChunkedArray, words: Words) -> pa.Array | pa.ChunkedArray:
    """Text[N] in which whitespace stands between all words: as it is, or with segments `segmented`."""
    return segmented(array) if words == "segments" else array


def library_of(words: Words) -> tuple[str, ...]:
    """The library that decides what a word is, if any."""
    return ("icu4py",) if words == "segments" else ()


@shared
def segmented(array: pa.Array | pa.ChunkedArray) -> pa.Array:
    """large_string[N] -> large_string[N]: each text with a blank before each word that has none."""
    data, offsets = text_buffers(array)
    needs = _unblanked(data, offsets)
    if not needs.any():
        return text_array(data, offsets)
    from icu4py.breakers import WordBreaker  # 42 MB of ICU, which most runs never load

    texts = text_array(data, offsets).take(pa.array(np.flatnonzero(needs))).to_pylist()
    cut = pa.array([" ".join(WordBreaker(text, "")) for text in texts], pa.large_string())
    cut_data, cut_offsets = text_buffers(cut)
    room = np.empty(len(cut_data) + int(offsets[-1] - offsets[0]), np.uint8)
    ends = np.zeros(len(offsets), np.int64)
    _merge(data, offsets, needs, cut_data, cut_offsets, classes(), room, ends)
    return text_array(room[: ends[-1]].copy(), ends)


@kernel
def _is_unblanked(code: Int) -> bool:
    """As `stands_alone`, whose list published hashes depend on, and with the rarer Burmese."""
    return bool(stands_alone(int(code)) or 0xA9E0 <= code < 0xAA00 or 0xAA60 <= code < 0xAA80)


@kernel
def _unblanked(data: Bytes, offsets: Indices) -> Bytes:
    """uint8[N]: 1 for a text with a character of such a script."""
    found = np.zeros(offsets.size - 1, np.uint8)
    for document in range(found.size):
        at = offsets[document]
        stop = offsets[document + 1]
        while at < stop and not found[document]:
            if data[at] >= _LEAST_LEAD:
                found[document] = _is_unblanked(decode(data, at, stop)[0])
            at += 1
    return found


@kernel
def _merge(
    data: Bytes,
    offsets: Indices,
    needs: Bytes,
    cut: Bytes,
    cut_offsets: Indices,
    table: Classes,
    out: Out[Bytes],
    ends: Out[Indices],
) -> None:
    """Copies each text, with those of the blanks in `cut` that the module's rule allows."""
    to: Int = 0
    number = 0
    for document in range(offsets.size - 1):
        at = offsets[document]
        stop = offsets[document + 1]
        if not needs[document]:
            to = copy_bytes(data, at, stop, out, to)
            ends[document + 1] = to
            continue
        place = cut_offsets[number]
        last = cut_offsets[number + 1]
        number += 1
        # the character before; the letter or number before
        after_space = True
        of_script = False
        while at < stop:
            added = cut[place] == _BLANK and data[at] != _BLANK
            while place < last and cut[place] == _BLANK and data[at] != _BLANK:
                place += 1
            code, size = decode(data, at, stop)
            flags = class_of(table, code)
            counts = flags & (LETTER | NUMBER) != 0
            own = _is_unblanked(code)
            if added and counts and not after_space and (own or of_script):
                out[to] = _BLANK
                to += 1
            to = copy_bytes(data, at, at + size, out, to)
            at += size
            place += size
            after_space = flags & SPACE != 0
            of_script = own if counts else of_script
        ends[document + 1] = to
