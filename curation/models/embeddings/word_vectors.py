"""Static embeddings of texts: the mean of their words' vectors, from files that fastText and GloVe write.

Source: Wieting et al. 2016, "Towards Universal Paraphrastic Sentence Embeddings" (arXiv:1511.08198): plain means of
word vectors compete with networks.

Words are those of `curation/text/folded_words.py`. Entries of the file that are not one such word are skipped; of equal
ones the first counts, as files list frequent words first. Unlisted words do not count; a text without a listed word has
no vector. Since all texts share frequent words, any two texts of a language are close: cosines of 0.95 are ordinary
between long ones, so limits must be higher than for other encoders.

A model is either one text file (a word and its D numbers per line, separated by spaces, optionally after a line "V D"),
or two files, which load much faster: a .npy array float[V, D] and a text file with its V words, one per line. V words,
N documents.
"""

from itertools import chain

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core import storage
from curation.core.errors import InputError
from curation.models.embeddings.directions import Vectors, read_floats, unit
from curation.text.folded_words import Folding, folding, next_words
from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.compiler.kernel import Grid, Out, kernel
from curation.text.kernels.hash_table import factor, find_slot, hash_shift, home_of, table_size
from curation.text.kernels.hashing import Hashes

PIECE = 1024  # words
LINES = 4096  # parsed at a time …
NUMBERS = 1 << 21  # … or as many as have so many numbers
LONGEST = 40  # bytes of a number: NumPy gives each of a block the room of the longest
MOST_DIMENSIONS = 1 << 20


class WordVectors:
    """The direction of the mean of a text's word vectors, of D dimensions, which depends on nothing but the text."""

    def __init__(self, words: pa.Array, vectors: Vectors) -> None:
        """`words` text[V] and their float32[V, D]."""
        slots = table_size(len(words))
        self._table = np.zeros(slots, np.uint64), np.zeros(slots, np.int64)
        _fill(_hash_words(*text_buffers(words), folding()), factor(), *self._table)
        self._vectors = np.ascontiguousarray(vectors, np.float32)
        self.dimensions = vectors.shape[1]

    def embed(self, texts: pa.Array | pa.ChunkedArray) -> Vectors:
        """float32[N, D]: each text's direction; all 0 if it has no listed word or its words cancel out."""
        return unit(_sum_words(*text_buffers(texts), folding(), factor(), *self._table, self._vectors))


def load_encoder(paths: tuple[str, ...]) -> WordVectors:
    """Raises InputError if the files hold no word vectors."""
    try:
        if len(paths) > 2:
            raise ValueError("a model is one text file, or a .npy file and its words")
        words, vectors = _arrays(*paths) if len(paths) == 2 else _text(storage.read_bytes(paths[0]))
        if not len(words) or not np.isfinite(vectors).all():
            raise ValueError("it lists no words" if not len(words) else "it has numbers that are not finite")
        return WordVectors(pa.array(words, pa.large_binary()), vectors)
    except ValueError as error:
        raise InputError(f"{' and '.join(paths)}: not word vectors: {error}") from error


def _arrays(vectors_path: str, words_path: str) -> tuple[list[bytes], Vectors]:
    vectors = read_floats(vectors_path)
    words = storage.read_bytes(words_path).removesuffix(b"\n").split(b"\n")
    if len(words) != len(vectors):
        raise ValueError(f"{len(words):,} words for {len(vectors):,} vectors")
    return words, vectors.astype(np.float32, copy=False)


def _text(content: bytes) -> tuple[list[bytes], Vectors]:
    """Words and vectors of a text file. A word may hold spaces, as a few of GloVe's do."""
    lines = content.removesuffix(b"\n").split(b"\n")
    header = lines[0].split()
    first_line = 1
    dimensions = len(header) - 1
    if len(header) == 2 and all(part.isdigit() for part in header):
        dimensions = int(header[1][:LONGEST])
        first_line = 2
        del lines[0]
    if dimensions < 1:
        raise ValueError("line 1 is not a word and numbers")
    if dimensions > MOST_DIMENSIONS:
        raise ValueError(f"line 1 states {dimensions:,} numbers for each word, more than {MOST_DIMENSIONS:,}")
    words = []
    blocks = [np.empty((0, dimensions), np.float32)]
    step = max(1, min(LINES, NUMBERS // dimensions))
    for begin in range(0, len(lines), step):
        rows = [line.rstrip().rsplit(b" ", dimensions) for line in lines[begin : begin + step]]
        for number, fields in enumerate(rows, begin + first_line):
            if len(fields) != dimensions + 1:
                raise ValueError(f"line {number} is not a word and {dimensions} numbers")
        words += [fields[0] for fields in rows]
        blocks.append(_numbers([fields[1:] for fields in rows]))
    return words, np.concatenate(blocks)


def _numbers(rows: list[list[bytes]]) -> Vectors:
    """float32 of numbers in digits; infinite where one is too large."""
    if max(map(len, chain.from_iterable(rows)), default=0) > LONGEST:
        raise ValueError(f"a number has more than {LONGEST} bytes")
    with np.errstate(over="ignore"):
        return np.array(rows).astype(np.float32)


@kernel
def _hash_words(data: Bytes, offsets: Indices, folding: Folding) -> Hashes:
    """uint64[V]: the hash of each text that is one word; 0 for others."""
    first, table, lower = folding
    words = np.empty(2, np.uint64)
    hashes = np.zeros(offsets.size - 1, np.uint64)
    for text in range(offsets.size - 1):
        count, _ = next_words(data, offsets[text], offsets[text + 1], first, table, lower, words)
        if count == 1:
            hashes[text] = words[0]
    return hashes


@kernel
def _fill(hashes: Hashes, by: np.uint64, keys: Out[Hashes], rows: Out[Indices]) -> None:
    """Put the row of each word into a table: the first of equal words; none for hash 0."""
    shift = hash_shift(keys.size)
    for row in range(hashes.size):
        if hashes[row]:
            slot = find_slot(keys, hashes[row], home_of(hashes[row], by, shift))
            if not keys[slot]:
                keys[slot] = hashes[row]
                rows[slot] = row


@kernel
def _sum_words(
    data: Bytes, offsets: Indices, folding: Folding, by: np.uint64, keys: Hashes, rows: Indices, vectors: Vectors
) -> Grid[npt.NDArray[np.float64]]:
    """float64[N, D]: the sum of the vectors of each document's listed words, added in text order."""
    sums = np.zeros((offsets.size - 1, vectors.shape[1]), np.float64)
    first, table, lower = folding
    words = np.empty(PIECE, np.uint64)
    shift = hash_shift(keys.size)
    for document in range(offsets.size - 1):
        at = offsets[document]
        stop = offsets[document + 1]
        while at < stop:
            count, at = next_words(data, at, stop, first, table, lower, words)
            for k in range(count):
                slot = find_slot(keys, words[k], home_of(words[k], by, shift))
                if keys[slot]:
                    row = rows[slot]
                    for d in range(vectors.shape[1]):
                        sums[document, d] += np.float64(vectors[row, d])
    return sums
