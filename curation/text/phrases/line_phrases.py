"""Which lines hold a fixed phrase in any case, and which are only a number and a word. S lines.

Phrases are written in lower case; only ASCII letters match in any case.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from curation.text.kernels.blocks import BLOCK, REACH, first_bits, window
from curation.text.kernels.buffers import Bytes, Indices, phrase_buffers
from curation.text.kernels.compiler.instructions import equal, lowest
from curation.text.kernels.compiler.kernel import Int, kernel
from curation.text.kernels.unicode import (
    DECIMAL,
    LETTER,
    NUMBER,
    Classes,
    after_spaces,
    before_spaces,
    class_of,
    classes,
    decode,
    space_size,
)
from curation.text.matches import Bools
from curation.text.spans import TextSpans

Masks: TypeAlias = npt.NDArray[np.uint64]

_MOST = 64
_PREFIX = 3  # first bytes that must match before a phrase is compared


def phrases_in(lines: TextSpans, phrases: Sequence[str], *, whole_words: bool = False) -> Masks:
    """uint64[S]: bit p is set if a line holds phrase p, with `whole_words` only between whitespace or the line's ends.

    Raises ValueError for more than 64 phrases, and for one that is empty or not in lower case.
    """
    if len(phrases) > _MOST:
        raise ValueError(f"expected at most {_MOST} phrases, got {len(phrases)}")
    encoded = lower_phrases(phrases)
    heads = heads_of(phrases, any_case=True)
    begins = np.zeros((_PREFIX, 256), np.uint64)
    for bit, phrase in enumerate(phrases):
        for place, row in enumerate(begins):
            fitting = {bytes([byte]).lower()[0] for byte in phrase.encode()[place : place + 1]}
            row[[b for b in range(256) if not fitting or bytes([b]).lower()[0] in fitting]] |= np.uint64(1 << bit)
    return _phrases_in(lines.data, lines.starts, lines.stops, *encoded, heads, begins.ravel(), classes(), whole_words)


def are_counters(lines: TextSpans, counted: Sequence[str]) -> Bools:
    """bool[S]: whether a line is a number and one of the words in `counted`, as in "3 likes" or "(1.2k views)".

    The number may hold dots and commas and end in k, m or b. Characters other than letters and numbers may surround
    the whole.
    """
    return _are_counters(lines.data, lines.starts, lines.stops, *lower_phrases(counted), classes())


def heads_of(phrases: Sequence[str], *, any_case: bool) -> Bytes:
    """uint8[4 * H], for `head_bits`: for each distinct pair of first bytes, the first byte, its capital, the second
    byte and its capital; a second byte of 0 stands for any."""
    small = sorted({phrase.encode()[:2].ljust(2, b"\0") for phrase in phrases})
    pairs = [(head, head.upper() if any_case else head) for head in small]
    every = bytes(byte for head, capital in pairs for two in zip(head, capital, strict=True) for byte in two)
    return np.frombuffer(every, np.uint8)


def lower_phrases(phrases: Sequence[str]) -> tuple[Bytes, Indices]:
    """The bytes and offsets of the phrases. Raises ValueError for one that is empty (it would match everywhere) or not
    in lower case (it would match nowhere)."""
    if any(phrase != phrase.lower() for phrase in phrases):
        raise ValueError(f"expected phrases in lower case, got {list(phrases)}")
    return phrase_buffers(phrases)


@kernel
def head_bits(address: np.uint64, heads: Bytes) -> np.uint64:
    """The bytes of a block that, with the next byte, may begin a phrase; `heads` come from `heads_of`."""
    bits = np.uint64(0)
    for head in range(0, heads.size, 4):
        second = address + np.uint64(1)
        here = equal(address, heads[head]) | equal(address, heads[head + 1])
        if heads[head + 2]:
            here &= equal(second, heads[head + 2]) | equal(second, heads[head + 3])
        bits |= here
    return bits


@kernel
def _fold(byte: Int) -> Int:
    """The byte; for an ASCII capital, its small letter."""
    return byte + 32 if 65 <= byte <= 90 else byte


@kernel
def same_in_any_case(data: Bytes, at: Int, stop: Int, phrases: Bytes, first: Int, last: Int) -> bool:
    """Whether data[at:stop] begins with phrases[first:last] in any case."""
    if at + last - first > stop:
        return False
    for k in range(last - first):  # noqa: SIM110  a generator does not compile
        if _fold(np.int64(data[at + k])) != phrases[first + k]:
            return False
    return True


@kernel
def phrase_at(data: Bytes, at: Int, stop: Int, phrases: Bytes, offsets: Indices) -> Int:
    """The length in bytes of the first phrase that is at byte `at`; 0 if none is."""
    for phrase in range(offsets.size - 1):
        if same_in_any_case(data, at, stop, phrases, offsets[phrase], offsets[phrase + 1]):
            size: Int = offsets[phrase + 1] - offsets[phrase]
            return size
    return 0


@kernel
def phrase_before(data: Bytes, start: Int, stop: Int, phrases: Bytes, offsets: Indices) -> Int:
    """The length in bytes of the first phrase that data[start:stop] ends with; 0 if there is none."""
    for phrase in range(offsets.size - 1):
        size: Int = offsets[phrase + 1] - offsets[phrase]
        at = stop - size
        if at >= start and same_in_any_case(data, at, stop, phrases, offsets[phrase], offsets[phrase + 1]):
            return size
    return 0


@kernel
def _stands_alone(data: Bytes, start: Int, at: Int, end: Int, stop: Int, table: Classes) -> bool:
    """Whether data[at:end] in the line data[start:stop] is between whitespace or the line's ends."""
    begins = at == start or before_spaces(data, start, at, table) < at
    return bool(begins and (end == stop or space_size(data, end, stop, table) > 0))


@kernel
def _phrases_in(
    data: Bytes,
    starts: Indices,
    stops: Indices,
    phrases: Bytes,
    offsets: Indices,
    heads: Bytes,
    begins: Masks,
    table: Classes,
    whole_words: bool,
) -> Masks:
    """A phrase is compared only where its first bytes match: begins[256 * k + byte] has a bit for each phrase with that
    byte in place k."""
    pad = np.empty(REACH, np.uint8)
    masks = np.zeros(starts.size, np.uint64)
    for line in range(starts.size):
        start = starts[line]
        stop = stops[line]
        for block in range(start, stop, BLOCK):
            bits = head_bits(window(data, block, pad), heads) & first_bits(stop - block)
            while bits:
                at = block + lowest(bits)
                bits &= bits - np.uint64(1)
                fits = begins[data[at]]
                if at + 2 < stop:
                    fits &= begins[256 + np.int64(data[at + 1])] & begins[512 + np.int64(data[at + 2])]
                while fits:
                    phrase = lowest(fits)
                    fits &= fits - np.uint64(1)
                    end = at + offsets[phrase + 1] - offsets[phrase]
                    if same_in_any_case(data, at, stop, phrases, offsets[phrase], offsets[phrase + 1]) and (
                        not whole_words or _stands_alone(data, start, at, end, stop, table)
                    ):
                        masks[line] |= np.uint64(1) << np.uint64(phrase)
    return masks


@kernel
def _skip_marks(data: Bytes, at: Int, stop: Int, table: Classes) -> Int:
    """Where the next letter or number from byte `at` begins; `stop` if there is none."""
    while at < stop:
        code, size = decode(data, at, stop)
        if class_of(table, code) & (LETTER | NUMBER):
            break
        at += size
    return at


@kernel
def _number(data: Bytes, at: Int, stop: Int, table: Classes) -> tuple[Int, Int]:
    """The end of the number at byte `at` and its whitespace, and the bytes of that whitespace; (at, 0) for none."""
    begin = at
    while at < stop:
        code, size = decode(data, at, stop)
        if not class_of(table, code) & DECIMAL and (at == begin or (code != 44 and code != 46)):
            break
        at += size
    if begin < at < stop:
        letter = _fold(np.int64(data[at]))
        at += letter == 107 or letter == 109 or letter == 98  # k, m, b
    end = at
    if begin < at:
        at = after_spaces(data, at, stop, table)
    return at, at - end


@kernel
def _are_counters(
    data: Bytes, starts: Indices, stops: Indices, words: Bytes, offsets: Indices, table: Classes
) -> Bools:
    # Every word is tried, since one may begin another.
    counters = np.zeros(starts.size, np.bool_)
    for line in range(starts.size):
        stop = stops[line]
        at, spaces = _number(data, _skip_marks(data, starts[line], stop, table), stop, table)
        if spaces == 0:
            continue
        for word in range(offsets.size - 1):
            if same_in_any_case(data, at, stop, words, offsets[word], offsets[word + 1]):
                after = at + offsets[word + 1] - offsets[word]
                counters[line] |= _skip_marks(data, after, stop, table) == stop
    return counters
