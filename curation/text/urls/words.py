"""Which listed words a URL holds, as whole words or anywhere in its words put together.

A word is a run of ASCII letters, digits and non-ASCII characters; letters match in any case, and escapes separate
words. N canonical URLs (see `parse`); lists are `Entries` in lower case.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from curation.text.kernels.blocks import stands_at
from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.kernel import Out, kernel
from curation.text.phrases.string_set import Entries, find
from curation.text.urls.hosts import escaped
from curation.text.urls.parse import Urls

_HEAD = 3  # first bytes by which subwords are looked up
_HEADS = 1 << 14
_SIZES = 32  # lengths of words that are distinguished before a look-up
_LETTERS = np.array(  # a byte of a word in lower case; 0 for a byte that separates words
    [
        byte | 0x20 if 0x41 <= byte & 0xDF <= 0x5A else byte if byte > 0x7F or 0x30 <= byte <= 0x39 else 0
        for byte in range(256)
    ],
    np.uint8,
)


class UrlWords(NamedTuple):
    """The words of N URLs, without gaps: word w is data[offsets[w]:offsets[w + 1]]; URL n has the words bounds[n] to
    bounds[n + 1] - 1."""

    data: Bytes
    offsets: Indices
    bounds: Indices


class ListedWords(NamedTuple):
    """int64[N] each: how many different listed words a URL holds, and the number of the first one, -1 for none."""

    different: Indices
    first: Indices


def split_words(urls: Urls) -> UrlWords:
    """The words of canonical URLs, in lower case."""
    size = int((urls.stops - urls.starts).sum())
    data = np.empty(size, np.uint8)
    offsets = np.zeros(size // 2 + len(urls.starts) + 2, np.int64)
    bounds = _split(urls.data, urls.starts, urls.stops, data, offsets)
    return UrlWords(data, offsets[: bounds[-1] + 1], bounds)


def words_of(split: UrlWords, words: Entries) -> ListedWords:
    """The listed words among the words of each URL."""
    return ListedWords(*_words_of(*split, words))


def subwords_of(split: UrlWords, subwords: Entries) -> ListedWords:
    """The listed strings, of three bytes or more, anywhere in the words of each URL put together."""
    return ListedWords(*_subwords_of(*split, subwords.data, subwords.offsets, *_heads(subwords.data, subwords.offsets)))


@kernel
def _split(data: Bytes, starts: Indices, stops: Indices, out: Out[Bytes], offsets: Out[Indices]) -> Indices:
    """Write the words and where each ends. Returns int64[N + 1]: the first word of each URL."""
    bounds = np.zeros(starts.size + 1, np.int64)
    to = words = 0
    for url in range(starts.size):
        at = starts[url]
        stop = stops[url]
        while at < stop:
            letter = _LETTERS[data[at]]
            if letter:
                out[to] = letter
                to += 1
            elif to > offsets[words]:
                words += 1
                offsets[words] = to
            at += 3 if escaped(data, at, stop) >= 0 else 1
        if to > offsets[words]:
            words += 1
            offsets[words] = to
        bounds[url + 1] = words
    return bounds


@kernel
def _beginnings(entries: Bytes, offsets: Indices) -> npt.NDArray[np.bool_]:
    """bool[_SIZES * 256]: whether an entry of this size has this first byte; the last size is for all longer ones."""
    begun = np.zeros(_SIZES * 256, np.bool_)
    for entry in range(offsets.size - 1):
        size = offsets[entry + 1] - offsets[entry]
        if size:
            begun[min(size, _SIZES - 1) * 256 + entries[offsets[entry]]] = True
    return begun


@kernel
def _words_of(data: Bytes, words: Indices, bounds: Indices, entries: Entries) -> tuple[Indices, Indices]:
    different = np.zeros(bounds.size - 1, np.int64)
    first = np.full(bounds.size - 1, -1, np.int64)
    seen = np.full(entries.offsets.size, -1, np.int64)  # the URL in which an entry was last found
    begun = _beginnings(entries.data, entries.offsets)
    for url in range(bounds.size - 1):
        for word in range(bounds[url], bounds[url + 1]):
            start = words[word]
            stop = words[word + 1]
            if not begun[min(stop - start, _SIZES - 1) * 256 + data[start]]:
                continue
            entry = find(data, start, stop, entries)
            if entry >= 0 and seen[entry] != url:
                seen[entry] = url
                different[url] += 1
                if first[url] < 0:
                    first[url] = entry
    return different, first


@kernel
def _head(data: Bytes, at: int) -> int:
    """A hash in [0, _HEADS) of the three bytes at `at`."""
    return (int(data[at]) * 961 + int(data[at + 1]) * 31 + int(data[at + 2])) % _HEADS


@kernel
def _heads(entries: Bytes, offsets: Indices) -> tuple[Indices, Indices]:
    """int64[_HEADS]: the first entry with a head; int64[E]: the next entry with the same head; -1 for none."""
    heads = np.full(_HEADS, -1, np.int64)
    following = np.full(offsets.size - 1, -1, np.int64)
    for entry in range(offsets.size - 2, -1, -1):
        if offsets[entry + 1] - offsets[entry] >= _HEAD:
            head = _head(entries, offsets[entry])
            following[entry] = heads[head]
            heads[head] = entry
    return heads, following


@kernel
def _subwords_of(
    data: Bytes, words: Indices, bounds: Indices, entries: Bytes, offsets: Indices, heads: Indices, following: Indices
) -> tuple[Indices, Indices]:
    different = np.zeros(bounds.size - 1, np.int64)
    first = np.full(bounds.size - 1, -1, np.int64)
    seen = np.full(offsets.size, -1, np.int64)
    for url in range(bounds.size - 1):
        stop = words[bounds[url + 1]]
        for at in range(words[bounds[url]], stop - _HEAD + 1):
            entry = heads[_head(data, at)]
            while entry >= 0:
                same = stands_at(data, at, stop, entries, offsets[entry], offsets[entry + 1])
                if same and seen[entry] != url:
                    seen[entry] = url
                    different[url] += 1
                    if first[url] < 0:
                        first[url] = entry
                entry = following[entry]
    return different, first
