"""Replaces characters and fixed strings, and repairs invalid UTF-8, in many texts per call. N documents."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
import pyarrow as pa

from curation.text.edits.line_edits import CODES, Table, lead_bytes, replaced
from curation.text.kernels.blocks import BLOCK, REACH, copy_bytes, first_bits, stands_at, window
from curation.text.kernels.buffers import Bytes, Indices, phrase_buffers, text_array, text_buffers
from curation.text.kernels.compiler.instructions import below, equal, lowest, ones
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.unicode import decode
from curation.text.phrases.line_phrases import head_bits, heads_of
from curation.text.spans import Bounds, room_for, spans_of

_NEWLINE = 10
_RETURN = 13
_PLAIN = "\t\n" + "".join(map(chr, range(0x20, 0x7F)))


def valid_utf8(array: pa.Array | pa.ChunkedArray) -> tuple[pa.Array, Indices]:
    """(large_string[N]: text[N] with U+FFFD for invalid UTF-8; int64[N]: how many were put in). A null becomes "".

    Not copied if all texts are valid.
    """
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    array = array.cast(pa.large_string(), safe=False) if array.type == pa.string() else array
    if array.null_count:
        array = array.fill_null("")
    counts = np.zeros(len(array), np.int64)
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        contents: list[bytes] = array.view(pa.large_binary()).to_pylist()
        texts = [content.decode("utf-8", "replace") for content in contents]
        for row, (text, content) in enumerate(zip(texts, contents, strict=True)):
            counts[row] = text.count("\N{REPLACEMENT CHARACTER}") - content.count("\N{REPLACEMENT CHARACTER}".encode())
        return pa.array(texts, pa.large_string()), counts
    return array, counts


def exchanged(array: pa.Array, by: Mapping[str, str]) -> tuple[pa.Array, Indices]:
    """Replace each character in `by`. Returns the texts, large_string[N], and how many were replaced, int64[N].

    If "\\r" is in `by`, one before a line feed is removed. The texts must be UTF-8; `by` has at most 255 characters.
    Raises ValueError for a key that is printable ASCII, a tab or a line feed, and for a value longer than its key.
    """
    table, leads = _numbers(tuple(by.items()))
    new_data, new_offsets = text_buffers(pa.array(["", *by.values()], pa.large_string()))
    data, offsets = text_buffers(array)
    out = np.empty(int(offsets[-1] - offsets[0]), np.uint8)
    ends = np.zeros(len(offsets), np.int64)
    counts = np.zeros(len(offsets) - 1, np.int64)
    _exchange(data, offsets, table, leads, new_data, new_offsets, out, ends, counts)
    return text_array(out[: ends[-1]], ends), counts


@lru_cache
def _numbers(by: tuple[tuple[str, str], ...]) -> tuple[Table, Table]:
    """uint8[CODES]: the number in `by` of each character, from 1, or 0; and `lead_bytes` of that table."""
    table = np.zeros(CODES, np.uint8)
    for number, (char, new) in enumerate(by, start=1):
        if len(new.encode()) > len(char.encode()) or char in _PLAIN:
            raise ValueError(
                f"cannot replace {char!r} by {new!r}: only characters beyond printable ASCII, by no more bytes"
            )
        table[ord(char)] = number
    return table, lead_bytes(table)


def substituted(array: pa.Array, phrases: Sequence[str], by: Sequence[str]) -> tuple[pa.Array, Indices]:
    """Replace each phrase by the string at the same place in `by`. Returns large_string[N], and int64[N]: occurrences.

    Goes from left to right; the longest of several phrases at one place counts. Raises ValueError for an empty phrase.
    """
    order = sorted(range(len(phrases)), key=lambda place: -len(phrases[place].encode()))
    old = phrase_buffers([phrases[place] for place in order])
    heads = heads_of(phrases, any_case=False)
    data, offsets = text_buffers(array)
    bounds = room_for(int(_count_heads(data, offsets, heads)), offsets)
    numbers = np.empty_like(bounds.starts)
    first = bounds.first
    _find_phrases(data, offsets, *old, heads, bounds, numbers)
    if first[-1] == 0:
        return array, np.diff(first)
    new = pa.array([by[place] for place in order], pa.large_string()).take(pa.array(numbers[: first[-1]]))
    return replaced(array, spans_of(data, bounds), new), np.diff(first)


@kernel
def _exchange(
    data: Bytes,
    offsets: Indices,
    table: Bytes,
    leads: Bytes,
    new: Bytes,
    bounds: Indices,
    out: Out[Bytes],
    ends: Out[Indices],
    counts: Out[Indices],
) -> None:
    """Visits only control and non-ASCII characters; copies the bytes between two hits at once."""
    pad = np.empty(REACH, np.uint8)
    to: Int = 0
    for document in range(offsets.size - 1):
        begin = offsets[document]
        stop = offsets[document + 1]
        for block in range(begin, stop, BLOCK):
            address = window(data, block, pad)
            bits = below(address, 0x20) & ~below(address, 0x0B) | below(address, 0x09)
            bits = (bits | equal(address, 0x7F) | ~below(address, 0xC0)) & first_bits(stop - block)
            while bits:
                at = block + lowest(bits)
                bits &= bits - np.uint64(1)
                code: Int = np.int64(data[at])
                size: Int = 1
                if code >= 0x80:
                    if at + 1 == stop or not leads[256 * code + data[at + 1]]:
                        continue
                    code, size = decode(data, at, stop)
                number = np.int64(table[code])
                if number == 0:
                    continue
                counts[document] += 1
                to = copy_bytes(data, begin, at, out, to)
                begin = at + size
                if code != _RETURN or begin == stop or data[begin] != _NEWLINE:
                    for k in range(bounds[number], bounds[number + 1]):
                        out[to] = new[k]
                        to += 1
        to = copy_bytes(data, begin, stop, out, to)
        ends[document + 1] = to


@kernel
def _phrase_at(data: Bytes, at: Int, stop: Int, phrases: Bytes, offsets: Indices) -> Int:
    """The number of the first phrase that data[at:stop] begins with; -1 if there is none."""
    for phrase in range(offsets.size - 1):
        if stands_at(data, at, stop, phrases, offsets[phrase], offsets[phrase + 1]):
            return phrase
    return -1


@kernel
def _count_heads(data: Bytes, offsets: Indices, heads: Bytes) -> int:
    """At least as many as there are phrases in the texts, to make room for them."""
    pad = np.empty(REACH, np.uint8)
    count = 0
    for block in range(offsets[0], offsets[-1], BLOCK):
        count += ones(head_bits(window(data, block, pad), heads) & first_bits(offsets[-1] - block))
    return count


@kernel
def _find_phrases(
    data: Bytes, offsets: Indices, phrases: Bytes, bounds: Indices, heads: Bytes, out: Bounds, numbers: Out[Indices]
) -> None:
    """Fill the bounds of the phrases in the texts, from left to right, and the number of each."""
    pad = np.empty(REACH, np.uint8)
    count = 0
    starts, stops, first = out
    for document in range(offsets.size - 1):
        begin = offsets[document]
        stop = offsets[document + 1]
        after = begin
        for block in range(begin, stop, BLOCK):
            bits = head_bits(window(data, block, pad), heads) & first_bits(stop - block)
            while bits:
                at = block + lowest(bits)
                bits &= bits - np.uint64(1)
                phrase = _phrase_at(data, at, stop, phrases, bounds) if at >= after else -1
                if phrase >= 0:
                    after = at + bounds[phrase + 1] - bounds[phrase]
                    starts[count] = at
                    stops[count] = after
                    numbers[count] = phrase
                    count += 1
        first[document + 1] = count
