"""Terms of long lists, as a tree in which kernels look them up (`term_places`).

A term is one or more words, matched in any (simple) case, with any whitespace between its words, and as whole words:
"ass" is not in "class". A word is a run of letters, digits and marks. In scripts without spaces between words (Han,
Kana, Thai, Lao, Burmese, Khmer) every character is a word, so a term can be anywhere. Korean has spaces.

Terms form a tree of characters whose edges lie in a hash table. Of the terms that begin at one place the longest
counts, and terms never overlap. E slots for edges.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.kernel import Int, Out, kernel
from curation.text.kernels.hashing import Hashes
from curation.text.kernels.mix64 import GOLDEN
from curation.text.kernels.unicode import (
    LETTER,
    NUMBER,
    PUNCTUATION,
    REPLACEMENT,
    SPACE,
    SYMBOL,
    Cases,
    classes,
    decode,
    lower_cases,
)

CODE_BITS = 21
_CODE = (1 << CODE_BITS) - 1
GAP, SIGN, JOINS, ALONE = range(4)  # kinds: whitespace, no word, part of a word, a word by itself

# Code points, first and last of each range: the scripts without spaces, more than `folded_words.stands_alone` has, and
# ranges in which a character without a class is a sign and not a mark (Latin-1, arrows to dingbats, emoji).
_UNSPACED = (
    *((0xE00, 0xEFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x312F), (0x31A0, 0x31FF), (0x3400, 0x9FFF)),
    *((0xAA60, 0xAA7F), (0xF900, 0xFAFF), (0xFF66, 0xFF9F), (0x1AFF0, 0x1B16F), (0x20000, 0x3FFFF)),
)
_SIGNS = ((0, 0x2FF), (0x2000, 0x2E7F), (REPLACEMENT, REPLACEMENT), (0x1F000, 0x1FAFF))


@dataclass(frozen=True, eq=False)
class Terms:
    """The tree of several lists; the root of list l is node l."""

    edges: Hashes  # uint64[2 E], E a power of two: a key (0 if free) and its target, see `longest`
    firsts: Bytes  # uint8[65536]: 1 where a term may begin with two characters, see `pair_of`
    numbers: Indices  # by node: the number, among the terms of all lists, of the first one that ends there; else -1


def term_tree(lists: Sequence[Sequence[str]]) -> Terms:
    """The tree of lists of terms, in any case; no term may be blank."""
    nodes: dict[tuple[int, int], int] = {}
    last = dict[int, int]()
    free = len(lists)
    firsts = np.zeros(1 << 16, np.uint8)
    numbered = 0
    for root, terms in enumerate(lists):
        for term in terms:
            node = root
            codes = [ord(char.lower()[0]) for char in " ".join(term.split())]
            for code in codes:
                node = nodes.setdefault((node, code), free)
                free += node == free
            last.setdefault(node, numbered)
            numbered += 1
            for second in codes[1:2] or range(256):
                firsts[pair_of(root, codes[0], second)] = 1
    edges = np.zeros(2 << (2 * len(nodes)).bit_length(), np.uint64)
    keys = [(node << CODE_BITS | code) + 1 for node, code in nodes]
    _fill(np.array(keys, np.uint64), np.array([2 * n + (n in last) for n in nodes.values()], np.uint64), edges)
    return Terms(edges, firsts, np.array([last.get(node, -1) for node in range(free)], np.int64))


@lru_cache
def characters_and_kinds() -> Cases:
    """int32[code points]: the lower case of each, a space for any whitespace; above CODE_BITS its kind."""
    codes = np.arange(sys.maxunicode + 1)
    flags = _flat(classes())
    lower = codes + _flat(lower_cases())
    kinds = np.full(len(codes), JOINS, np.int32)
    for first, last in _UNSPACED:
        kinds[first : last + 1] = ALONE
    signs = flags & (PUNCTUATION | SYMBOL) != 0
    for first, last in _SIGNS:
        signs[first : last + 1] |= flags[first : last + 1] & (LETTER | NUMBER) == 0
    kinds[signs] = SIGN
    spaces = flags & SPACE != 0
    return np.where(spaces, ord(" "), kinds << CODE_BITS | lower).astype(np.int32)


def _flat(table: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A two-stage table in one stage."""
    return np.asarray(table[table[: (sys.maxunicode + 1) // 256, None] + np.arange(256)].ravel())


@kernel
def _slot(edges: Hashes, key: np.uint64) -> Int:
    """The place of the key in `edges`, or the free place for it."""
    mask = edges.size // 2 - 1
    slot = np.int64(key * GOLDEN >> np.uint64(32)) & mask
    while edges[2 * slot] != key and edges[2 * slot] != 0:
        slot = (slot + 1) & mask
    return 2 * slot


@kernel
def _fill(keys: Hashes, targets: Hashes, edges: Out[Hashes]) -> None:
    for k in range(keys.size):
        slot = _slot(edges, keys[k])
        edges[slot] = keys[k]
        edges[slot + 1] = targets[k]


@kernel
def pair_of(root: Int, first: Int, second: Int) -> Int:
    """The place in `firsts` of two characters, by their low bytes; the second is 0 at the end of a text."""
    return ((first + 37 * root) & 255) << 8 | (second & 255)


@kernel
def longest(data: Bytes, at: Int, stop: Int, root: Int, edges: Hashes, characters: Cases) -> tuple[Int, Int]:
    """The end of the longest term that begins at byte `at`, and its last node; `at` and the root if none does.

    An edge's key is (node << CODE_BITS | character) + 1; its target is twice the next node, plus 1 if a term ends
    there. A run of whitespace counts as one character.
    """
    end = at
    node = np.int64(root)
    before = SIGN
    last = np.int64(root)
    code, size = decode(data, at, stop)
    char = np.int64(characters[code])
    while True:
        if char >> CODE_BITS != GAP or before != GAP:
            slot = _slot(edges, np.uint64((node << CODE_BITS | char & _CODE) + 1))
            if edges[slot] == 0:
                return end, last
            target = np.int64(edges[slot + 1])
            node = target >> 1
            ends = target & 1
            before = int(char) >> CODE_BITS
        at += size
        if at == stop:
            return (at, node) if ends else (end, last)
        code, size = decode(data, at, stop)
        char = np.int64(characters[code])
        if ends and not (before == JOINS and char >> CODE_BITS == JOINS):
            end = at
            last = node
