"""Character references in a page's text: `&amp;`, `&#8212;`, `&#x2014;`, and those that lack their semicolon.

Source: WHATWG HTML Standard, "Character reference state", as `html.unescape` reads it.
"""

import html
import html.entities
from inspect import unwrap

import numpy as np

from curation.text.html.syntax import FNV_OFFSET, FNV_PRIME, name_hash
from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.kernel import Int, kernel
from curation.text.kernels.hash_table import find_slot, table_size
from curation.text.kernels.hashing import Hashes

NOTHING = -1  # instead of a code point
_OFFSET = np.uint64(FNV_OFFSET)
_PRIME = np.uint64(FNV_PRIME)
_LONGEST = 32  # characters of a name
_BARE = max(len(name) for name in html.entities.html5 if not name.endswith(";"))  # without its semicolon
_LOW = 160  # below, a number may stand for another character
_LARGEST = 0x10FFFF
_REPLACEMENT = 0xFFFD
_AMPERSAND, _HASH, _SEMICOLON, _ZERO, _NINE, _X, _LESS = b"&#;09x<"
_ENDS = np.zeros(256, np.bool_)
_ENDS[list(b"\t\n\f <&#;")] = True


def _code(number: int) -> int:
    text = html.unescape(f"&#{number};")
    return ord(text) if text else NOTHING


def _table() -> tuple[Hashes, Indices, Indices]:
    """Keys, and the one or two code points of each."""
    names = html.entities.html5
    size = unwrap(table_size)(len(names))
    keys = np.zeros(size, np.uint64)
    first = np.zeros(size, np.int64)
    second = np.full(size, NOTHING)
    for name, text in names.items():
        key = name_hash(name)
        slot = unwrap(find_slot)(keys, key, int(key) % size)
        keys[slot] = key
        first[slot] = ord(text[0])
        if len(text) > 1:
            second[slot] = ord(text[1])
    return keys, first, second


_LOW_CODES = np.array([_code(number) for number in range(_LOW)])
_KEYS, _FIRST, _SECOND = _table()


@kernel
def _numeric(data: Bytes, at: Int, stop: Int) -> tuple[Int, Int]:
    """The code point of "&#…" at `at`, and where it ends: `at` if it is none."""
    place = at + 2
    base: Int = 10
    if place < stop and data[place] | 32 == _X:
        base = 16
        place += 1
    start = place
    value: Int = 0
    while place < stop:
        digit = np.int64(data[place]) - _ZERO
        letter = (np.int64(data[place]) | 32) - 97
        if base == 16 and 0 <= letter < 6:
            digit = letter + 10
        elif not 0 <= digit <= 9:
            break
        value = min(value * base + digit, _LARGEST + 1)
        place += 1
    if place == start:
        return NOTHING, at
    if place < stop and data[place] == _SEMICOLON:
        place += 1
    if value < _LOW:
        return np.int64(_LOW_CODES[value]), place
    if value > _LARGEST or 0xD800 <= value < 0xE000:
        return _REPLACEMENT, place
    if value & 0xFFFE == 0xFFFE or 0xFDD0 <= value < 0xFDF0:
        return NOTHING, place
    return value, place


@kernel
def reference(data: Bytes, at: Int, stop: Int) -> tuple[Int, Int, Int]:
    """The code points of the reference that begins with the "&" at `at` < `stop`, NOTHING for those it does not have,
    and where it ends; "&" itself if there is no reference."""
    if at + 1 < stop and data[at + 1] == _HASH:
        code, end = _numeric(data, at, stop)
        if end > at:
            return code, NOTHING, end
        return _AMPERSAND, NOTHING, at + 1
    name = _OFFSET
    place = at + 1
    found: Int = -1
    end = at + 1
    last = min(stop, at + 1 + _LONGEST)
    while place < last and not _ENDS[data[place]]:
        name = (name ^ np.uint64(data[place])) * _PRIME
        place += 1
        if place - at - 1 <= _BARE:
            slot = find_slot(_KEYS, name, np.int64(name) & (_KEYS.size - 1))
            if _KEYS[slot]:
                found = slot
                end = place
    if place < stop and data[place] == _SEMICOLON:
        name = (name ^ np.uint64(_SEMICOLON)) * _PRIME
        slot = find_slot(_KEYS, name, np.int64(name) & (_KEYS.size - 1))
        if _KEYS[slot]:
            found = slot
            end = place + 1
    if found < 0:
        return _AMPERSAND, NOTHING, at + 1
    return np.int64(_FIRST[found]), np.int64(_SECOND[found]), end
