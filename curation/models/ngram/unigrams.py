"""How often each word occurs in a corpus, counted over all workers and stored in one small file.

Words are those of `curation/text/folded_words.py`, identified by their hashes. The file is, all little-endian:

    bytes 0-7     "unigrams"
    bytes 8-15    uint64  format version, 1
    bytes 16-23   uint64  V, words listed
    bytes 24-31   uint64  occurrences of words that are not listed because they are too rare
    then          uint64[V]  hashes, ascending
    then          uint64[V]  occurrences, each at least 1

Listed words need no smoothing. All other words are one outcome, with the occurrences of the unlisted words plus one, so
that it is never impossible (Laplace's rule).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.models.count_files import HEADER, CountFile, arrays, check_size
from curation.models.ngram.unigram_kernels import count_words, divergences, lookup_table
from curation.text.folded_words import folding
from curation.text.kernels.buffers import text_buffers
from curation.text.kernels.hash_table import factor, table_size
from curation.text.kernels.hashing import Hashes

FILE = CountFile(b"unigrams", "word counts", "unigrams: {}")
MOST = 1 << 62  # occurrences of all words
SLOTS = 1 << 18  # of the table in which words are counted before they are merged


@dataclass(frozen=True, eq=False)
class UnigramCounts:
    """uint64[V] hashes of words, ascending, their occurrences uint64[V], and those of all unlisted words."""

    hashes: Hashes
    counts: npt.NDArray[np.uint64]
    unlisted: int = 0

    @classmethod
    def of(cls, hashes: Hashes, counts: npt.NDArray[np.uint64]) -> "UnigramCounts":
        """The sums of the counts of equal words, in any order; fastest where both are a few ascending runs."""
        order = np.argsort(hashes, kind="stable")
        words, firsts = np.unique(hashes[order], return_index=True)
        return cls(words, np.add.reduceat(counts[order], firsts) if len(firsts) else counts)

    def merged(self, other: "UnigramCounts") -> "UnigramCounts":
        """The sum of both, in either order."""
        hashes = np.concatenate([self.hashes, other.hashes])
        return UnigramCounts.of(hashes, np.concatenate([self.counts, other.counts]))

    def shortened(self, *, max_words: int, min_count: int) -> "UnigramCounts":
        """List only the most frequent words; of equally frequent ones, those with smaller hashes."""
        order = np.lexsort((self.hashes, ~self.counts))[:max_words]
        listed = np.sort(order[self.counts[order] >= min_count])
        lost = int(self.counts.sum()) - int(self.counts[listed].sum())
        return UnigramCounts(self.hashes[listed], self.counts[listed], self.unlisted + lost)

    def to_bytes(self) -> bytes:
        """The file's content."""
        return FILE.packed((len(self.hashes), self.unlisted), self.hashes, self.counts)


class Reference:
    """The words of a corpus, to compare texts with."""

    def __init__(self, words: UnigramCounts) -> None:
        total = float(words.counts.sum()) + words.unlisted + 1.0
        logarithms = np.log(words.counts / total)
        slots = table_size(len(words.hashes))
        self._table = (np.zeros(slots, np.uint64), np.zeros(slots, np.float64))
        self._other = float(np.log((words.unlisted + 1) / total))
        lookup_table(words.hashes, logarithms, factor(), *self._table)

    def compare(self, array: pa.Array | pa.ChunkedArray) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """(float64[N] the Kullback-Leibler divergence of each text's words from the corpus' in nats, at least 0;
        float64[N] the share of its words that are not listed). Both are NaN for a text without words."""
        data, offsets = text_buffers(array)
        divergence, unlisted = np.empty((2, len(offsets) - 1), np.float64)
        counts = np.zeros(len(self._table[0]), np.int32)  # untouched pages take no memory
        divergences(data, offsets, folding(), *self._table, self._other, factor(), counts, divergence, unlisted)
        return divergence, unlisted


def count(arrays: Iterator[pa.Array]) -> UnigramCounts:
    """Occurrences of all words in text[N] arrays; their order and size do not matter."""
    runs: list[UnigramCounts] = []
    used = 0
    keys = np.zeros(SLOTS, np.uint64)
    counts = np.zeros(SLOTS, np.uint64)
    for array in arrays:
        data, offsets = text_buffers(array)
        state = np.array([0, offsets[0], used], np.int64)
        while state[0] < len(offsets) - 1:
            count_words(data, offsets, folding(), keys, counts, factor(), state)
            if state[2] > SLOTS // 2:
                _add(runs, _emptied(keys, counts))
                state[2] = 0
        used = int(state[2])
    _add(runs, _emptied(keys, counts))
    while len(runs) > 1:
        runs.append(runs.pop().merged(runs.pop()))
    return runs[0]


def _emptied(keys: Hashes, counts: npt.NDArray[np.uint64]) -> UnigramCounts:
    """The counts in the table, which is then emptied."""
    used = counts > 0
    words = UnigramCounts.of(keys[used], counts[used])
    keys[:] = 0
    counts[:] = 0
    return words


def _add(runs: list[UnigramCounts], run: UnigramCounts) -> None:
    """Merge runs of similar size, so that each word is moved only log(runs) times."""
    while runs and len(runs[-1].hashes) < 2 * len(run.hashes):
        run = runs.pop().merged(run)
    runs.append(run)


def parse(content: bytes) -> UnigramCounts:
    """Raises ValueError if the bytes are another file or broken."""
    words, unlisted = _header(content[:HEADER], len(content))
    hashes, counts = arrays(content, words)
    if not (np.all(hashes[1:] > hashes[:-1]) and np.all(hashes[:1] > 0) and np.all(counts > 0)):
        raise ValueError("its words are out of order or have no occurrences")
    if counts.sum(dtype=np.float64) > MOST:
        raise ValueError(f"its words occur more than {MOST:,} times")
    return UnigramCounts(hashes, counts, unlisted)


def _header(header: bytes, size: int) -> tuple[int, int]:
    """Listed words and occurrences of others, from the header of a file of `size` bytes. Raises ValueError."""
    words, unlisted = FILE.numbers(header)
    check_size(size, words, "words")
    if not words:
        raise ValueError("it lists no words")
    if unlisted > MOST:
        raise ValueError(f"it counts {unlisted:,} other words, more than {MOST:,}")
    return words, unlisted


def locate(uri: str) -> str:
    """The path or URI itself. Raises InputError if there is no such file or its header is wrong."""
    return FILE.located(uri, _header)


@lru_cache(maxsize=8)
def load(uri: str) -> Reference:
    """Read once per process. Raises InputError if there is no such file or it holds no word counts."""
    return Reference(FILE.read(locate(uri), parse))
