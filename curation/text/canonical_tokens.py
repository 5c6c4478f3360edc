"""Tokens by which texts are compared whatever their typography: the words of a text as someone would retype it.

Each character is taken in compatibility decomposition and full case folding (Unicode NFKD, casefold, NFKD again, which
is what NFKC_Casefold compares). Then accents (marks of a combining class above 9) and characters that do not show
(format characters, variation selectors) are left out; whitespace, control characters, punctuation and symbols separate
tokens. So NFC, NFD, full width, ligatures, smart quotes, zero-width and soft hyphens, and any case give the same
tokens. Vowel signs, nuktas and viramas of Indic scripts, which make other words, stay. Scripts without spaces between
words (Han, Kana, Thai, Lao, Burmese, Khmer) have one token per character.

The form depends on assigned characters only, which Unicode never changes; files that hold these hashes stay valid.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from curation.text.folded_words import rolled, stands_alone
from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.canon import APART, MORE, SEVERAL, Codes, canon
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.hashing import Hashes
from curation.text.kernels.mix64 import GOLDEN, murmur3
from curation.text.kernels.unicode import decode, encode

ROUND = 1024  # tokens that `next_tokens` finds at a time, at least 1 and up to ROUND - ROOM + 1
ROOM = 32  # tokens that one character may end: U+FDFA stands for four words

FOLD_ROOM = 64  # spare bytes for what `fold` writes of one character

_BLANK = 32
_START = GOLDEN

VALUE, INSIDE, BEGIN, END, AT = range(5)  # of a scan's state: the open token's hash, whether one is open, its bytes


class TokenScan(NamedTuple):
    """The state of a scan, and the tokens that `next_tokens` found last: their hashes and bytes."""

    state: Out[Hashes]  # uint64[5]
    hashes: Out[Hashes]  # uint64[ROUND]
    starts: Out[Indices]  # int64[ROUND]
    stops: Out[Indices]  # int64[ROUND]


@kernel
def token_scan() -> TokenScan:
    """A scan, which can be used for any number of documents."""
    starts = np.empty(ROUND, np.int64)
    stops = np.empty(ROUND, np.int64)
    return TokenScan(np.zeros(5, np.uint64), np.empty(ROUND, np.uint64), starts, stops)


@kernel
def begin_tokens(scan: TokenScan, start: Int) -> None:
    """Begin with a document at byte `start`."""
    scan.state[INSIDE] = np.uint64(0)
    scan.state[AT] = np.uint64(start)


@kernel
def _stored(scan: TokenScan, count: Int, value: np.uint64, begin: Int, end: Int) -> Int:
    """Stores a token that has ended; returns how many there are now."""
    scan.hashes[count] = murmur3(value)
    scan.starts[count] = begin
    scan.stops[count] = end
    return count + 1


@kernel
def _put_down(scan: TokenScan, value: np.uint64, inside: np.uint64, begin: Int, end: Int, at: Int) -> None:
    """Keeps what the next call goes on with."""
    scan.state[VALUE] = value
    scan.state[INSIDE] = inside
    scan.state[BEGIN] = np.uint64(begin)
    scan.state[END] = np.uint64(end)
    scan.state[AT] = np.uint64(at)


@kernel
def _hashed_run(data: Bytes, at: Int, stop: Int, first: Codes, value: np.uint64) -> tuple[np.uint64, Int]:
    """Hashes ASCII letters and digits from byte `at`, which is one, and returns the hash and where they end."""
    code: Int = np.int64(first[data[at]])
    while code > 0:
        value = rolled(value, code)
        at += 1
        code = np.int64(first[data[at]]) if at < stop else APART
    return value, at


@kernel
def _code_at(data: Bytes, at: Int, stop: Int, first: Codes, table: Codes) -> tuple[Int, Int]:
    """What the character at byte `at` becomes, and its length in bytes."""
    code: Int = np.int64(first[data[at]])
    if code != MORE:
        return code, 1
    character, size = decode(data, at, stop)
    return np.int64(table[np.int64(table[character >> 8]) + (character & 255)]), size


@kernel
def next_tokens(data: Bytes, stop: Int, scan: TokenScan, first: Codes, table: Codes, several: Codes) -> Int:
    """Find the next tokens of a document that ends at `stop`; returns how many, 0 at the end."""
    state = scan.state
    value = state[VALUE]
    inside = state[INSIDE] != np.uint64(0)
    begin: Int = np.int64(state[BEGIN])
    end: Int = np.int64(state[END])
    at: Int = np.int64(state[AT])
    count: Int = 0
    while at < stop and count <= ROUND - ROOM:
        code, size = _code_at(data, at, stop, first, table)
        if data[at] < 0x80 and code > 0:  # a run of ASCII letters and digits
            if not inside:
                value = _START
                begin = at
                inside = True
            value, at = _hashed_run(data, at, stop, first, value)
            end = at
            continue
        codes: Int = np.int64(several[code - SEVERAL]) if code >= SEVERAL else 1
        place = code - SEVERAL + 1
        for k in range(codes):
            if codes > 1:
                code = np.int64(several[place + k])
            alone = code > 0x7F and stands_alone(int(code))
            if inside and (code == APART or alone):
                count = _stored(scan, count, value, begin, end)
                inside = False
            if code > 0:
                if not inside:
                    value = _START
                    begin = at
                    inside = True
                value = rolled(value, code)
                end = at + size
            if alone:
                count = _stored(scan, count, value, begin, end)
                inside = False
        at += size
    if inside and at >= stop and count < ROUND:
        count = _stored(scan, count, value, begin, end)
        inside = False
    _put_down(scan, value, np.uint64(1 if inside else 0), begin, end, at)
    return count


@kernel
def fold(
    data: Bytes, start: Int, stop: Int, first: Codes, table: Codes, several: Codes, out: Out[Bytes], to: Int
) -> Int:
    """Write the tokens of data[start:stop] to `out` from byte `to`, each followed by one blank; returns where they end.

    `out` has FOLD_ROOM bytes more than what is to fit; the rest is left out. `most_folded` bytes are always enough.
    """
    inside = False
    last = out.size - FOLD_ROOM // 2
    while start < stop and to < last:
        code, size = _code_at(data, start, stop, first, table)
        codes: Int = np.int64(several[code - SEVERAL]) if code >= SEVERAL else 1
        place = code - SEVERAL + 1
        for k in range(codes):
            if codes > 1:
                code = np.int64(several[place + k])
            alone = code > 0x7F and stands_alone(int(code))
            if inside and (code == APART or alone):
                out[to] = _BLANK
                to += 1
                inside = False
            if code > 0 and to < last:
                to = encode(out, to, code)
                inside = True
            if alone:
                out[to] = _BLANK
                to += 1
                inside = False
        start += size
    if inside:
        out[to] = _BLANK
        to += 1
    return to


def most_folded(size: int) -> int:
    """An upper bound of the bytes that `fold` writes for `size` bytes: U+FDFA, of three, becomes 33 with blanks."""
    return 12 * size + FOLD_ROOM


class FoldedTokens(NamedTuple):
    """The tokens of N texts: T tokens, those of text d are first[d] to first[d + 1] - 1."""

    hashes: Hashes  # uint64[T]
    starts: Indices  # int64[T], bytes of the text's buffer
    stops: Indices  # int64[T]
    first: Indices  # int64[N + 1]


def tokens_of(array: pa.Array | pa.ChunkedArray) -> FoldedTokens:
    """The tokens of text[N]; starts and stops count from each text's first byte."""
    data, offsets = text_buffers(array)
    most = int(offsets[-1] - offsets[0]) * 2 + ROOM  # each character of three bytes ends up to four tokens
    folded = FoldedTokens(
        np.empty(most, np.uint64), np.empty(most, np.int64), np.empty(most, np.int64), np.zeros(len(offsets), np.int64)
    )
    total = _tokens(data, offsets, *canon(), folded.hashes, folded.starts, folded.stops, folded.first)
    return FoldedTokens(folded.hashes[:total], folded.starts[:total], folded.stops[:total], folded.first)


@kernel
def _tokens(
    data: Bytes,
    offsets: Indices,
    table_first: Codes,
    table: Codes,
    several: Codes,
    hashes: Out[Hashes],
    starts: Out[Indices],
    stops: Out[Indices],
    first: Out[Indices],
) -> Int:
    total: Int = 0
    scan = token_scan()
    for d in range(offsets.size - 1):
        begin_tokens(scan, offsets[d])
        count = next_tokens(data, offsets[d + 1], scan, table_first, table, several)
        while count > 0:
            for k in range(count):
                hashes[total + k] = scan.hashes[k]
                starts[total + k] = scan.starts[k] - offsets[d]
                stops[total + k] = scan.stops[k] - offsets[d]
            total += count
            count = next_tokens(data, offsets[d + 1], scan, table_first, table, several)
        first[d + 1] = total
    return total


def folded_texts(array: pa.Array | pa.ChunkedArray) -> list[bytes]:
    """The canonical form of each of text[N]: its tokens, each followed by one blank."""
    data, offsets = text_buffers(array)
    forms = []
    for start, stop in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        out = np.empty(most_folded(stop - start), np.uint8)
        forms.append(out[: fold(data, start, stop, *canon(), out, 0)].tobytes())
    return forms
