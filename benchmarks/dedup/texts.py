"""Seeded texts with known duplicates, as Parquet files: words of a Zipf-like vocabulary.

Some documents are *originals*, each with words of its own; the others are copies of an original: *exact*, *near* (a
small share of the words is replaced, so the likeness is far above any usual threshold) or *far* (a larger share is
replaced, so it is far below). Of n originals, a copy is made of number n·u³, where u is uniform in [0, 1): most have no
copy, the first ones have very many, and so there are clusters of all sizes. A family is an original with its exact and
near copies; a far copy is a family of its own. The documents are in random order.

Replaced words are at least five words apart and from either end of the text. So each of them removes five shingles of
five words and adds five others, and the Jaccard likeness of a copy of n words, k of them replaced, and its original is
(n - 4 - 5k) / (n - 4 + 5k), as long as no shingle occurs twice in a text.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from curation.text.kernels.compiler.kernel import Out, kernel
from curation.text.kernels.mix64 import GOLDEN, murmur3

Ints = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

ORIGINAL, EXACT, NEAR, FAR = range(4)  # kinds of documents
SKEW = 3  # of the originals that are copied
# words, and their letters
VOCABULARY = 50_000
LONGEST = 10
DRAWS = 1 << 20  # equal draws of a word
GROUP = 10_000  # documents per row group
SHINGLE = 5

_UPPER = np.uint64(44)  # all but the upper 20 bits of a hash, which draw the word
_LOWER = np.uint64(0xFFF)
# of 4,096 words: ended by a full stop, some of these by a line break
_STOPS = np.uint64(341)
_BREAKS = np.uint64(68)


@dataclass(frozen=True, kw_only=True)
class Mix:
    """How many documents of which kind; shares are of all documents, or of a document's words."""

    documents: int
    words: int = 200  # mean; a document has half to one and a half times as many
    exact: float = 0.1
    near: float = 0.2
    far: float = 0.05
    near_words: float = 0.01  # replaced
    far_words: float = 0.06
    seed: int = 0

    def __post_init__(self) -> None:
        if self.words < 60:
            raise ValueError(f"words is {self.words}; give 60 or more, so that replaced words can lie apart")
        if not 0 < self.near_words < self.far_words <= 0.15:
            raise ValueError("give shares of replaced words with 0 < near < far <= 0.15")
        if self.exact + self.near + self.far > 0.9:
            raise ValueError("exact, near and far together may be 0.9 at most; the rest are originals")


@dataclass(frozen=True, eq=False)
class Plan:
    """What each of N documents is, known before a text is written."""

    kind: Ints
    origin: Ints  # number of the original whose words it has
    family: Ints

    @property
    def families(self) -> int:
        return len(np.unique(self.family))


@dataclass(frozen=True)
class Written:
    """What lies in a folder: its files in order, bytes of text, and the least and greatest likeness of the copies."""

    files: tuple[Path, ...]
    text_bytes: int
    near_likeness: tuple[float, float]
    far_likeness: tuple[float, float]


def plan(mix: Mix) -> Plan:
    rng = np.random.default_rng(mix.seed)
    copies = [round(share * mix.documents) for share in (mix.exact, mix.near, mix.far)]
    originals = mix.documents - sum(copies)
    kind = np.repeat([ORIGINAL, EXACT, NEAR, FAR], [originals, *copies])
    drawn = (originals * rng.random(sum(copies)) ** SKEW).astype(np.int64)
    origin = np.concatenate([np.arange(originals), drawn])
    family = np.where(kind == FAR, np.arange(mix.documents), origin)  # the originals come first, so no number is twice
    order = rng.permutation(mix.documents)
    return Plan(kind[order], origin[order], family[order])


def likeness(words: Ints, replaced: Ints) -> npt.NDArray[np.float64]:
    """float64[N]: Jaccard likeness of copies, `replaced` of whose `words` are others, to their originals."""
    shingles = words - SHINGLE + 1
    ended = SHINGLE * replaced
    return (shingles - ended) / (shingles + ended)


def write(mix: Mix, planned: Plan, folder: Path, per_file: int) -> Written:
    """Writes the documents, `per_file` in a file, with `id` and `text`."""
    folder.mkdir(parents=True)
    text_bytes = 0
    files = []
    likenesses: dict[int, list[npt.NDArray[np.float64]]] = {NEAR: [], FAR: []}
    schema = pa.schema([("id", pa.string()), ("text", pa.large_string())])
    for number, first in enumerate(range(0, mix.documents, per_file)):
        files.append(folder / f"texts-{number:05d}.parquet")
        stop = min(first + per_file, mix.documents)
        with pq.ParquetWriter(files[-1], schema, compression="lz4") as file:
            for rows in (slice(start, min(start + GROUP, stop)) for start in range(first, stop, GROUP)):
                texts, words, replaced = texts_of(mix, planned, rows)
                ids = pc.cast(pa.array(np.arange(rows.start, rows.stop)), pa.string())
                file.write_table(pa.table([ids, texts], schema=schema))
                text_bytes += pc.sum(pc.binary_length(texts)).as_py()
                for kind, values in likenesses.items():
                    own = planned.kind[rows] == kind
                    values.append(likeness(words[own], replaced[own]))
    bounds = {kind: _bounds(np.concatenate(values)) for kind, values in likenesses.items()}
    return Written(tuple(files), text_bytes, bounds[NEAR], bounds[FAR])


def _bounds(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    return (float(values.min()), float(values.max())) if len(values) else (1.0, 1.0)


def texts_of(mix: Mix, planned: Plan, rows: slice) -> tuple[pa.Array, Ints, Ints]:
    """(large_string[N], int64[N] words, int64[N] replaced words) of these documents."""
    origin = planned.origin[rows]
    kind = planned.kind[rows]
    document = np.arange(rows.start, rows.stop)
    letters, starts, draws = _vocabulary(mix.seed)
    words = np.empty(len(origin), np.int64)
    offsets = np.zeros(len(origin) + 1, np.int64)
    _count_words(origin, mix.seed, mix.words, words)
    share = np.choose(kind, [0, 0, mix.near_words, mix.far_words])
    replaced = np.where(share > 0, np.maximum(1, np.rint(share * words)), 0).astype(np.int64)
    data = np.empty(int(words.sum()) * (LONGEST + 2), np.uint8)
    _write_words(origin, document, words, replaced, mix.seed, letters, starts, draws, data, offsets)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data[: offsets[-1]].copy())]
    return pa.Array.from_buffers(pa.large_string(), len(origin), buffers), words, replaced


@cache
def _vocabulary(seed: int) -> tuple[Bytes, Ints, Ints]:
    """Letters of all words, where each begins (and the last ends), and the word of each of DRAWS draws."""
    words = list(dict.fromkeys(_words(random.Random(seed))))
    starts = np.cumsum([0, *map(len, words)])
    weights = np.cumsum(1 / (np.arange(VOCABULARY) + 2.7))  # Mandelbrot's form of Zipf's law
    draws = np.searchsorted(weights, (np.arange(DRAWS) + 0.5) / DRAWS * weights[-1])
    return np.frombuffer("".join(words).encode(), np.uint8), starts, draws


def _words(draw: random.Random) -> Iterator[str]:
    """VOCABULARY different words; the first ones are short."""
    seen: set[str] = set()
    while len(seen) < VOCABULARY:
        letters = 2 + min(len(seen) // 25, draw.randint(1, LONGEST - 2))
        word = "".join(draw.choices("etaoinshrdlucmfwypvbgk", k=letters))
        if word not in seen:
            seen.add(word)
            yield word


@kernel
def _count_words(origin: Ints, seed: int, mean: int, words: Out[Ints]) -> None:
    for d in range(origin.size):
        state = murmur3(murmur3(np.uint64(seed) + GOLDEN) ^ np.uint64(origin[d]) * GOLDEN)
        words[d] = mean - mean // 2 + np.int64(state % np.uint64(2 * (mean // 2) + 1))


@kernel
def _write_words(
    origin: Ints,
    document: Ints,
    words: Ints,
    replaced: Ints,
    seed: int,
    letters: Bytes,
    starts: Ints,
    draws: Ints,
    data: Out[Bytes],
    offsets: Out[Ints],
) -> None:
    """Fill `data` and offsets[1:]; replaced words lie in as many parts of equal length of what is not an end."""
    at = 0
    for d in range(origin.size):
        state = murmur3(murmur3(np.uint64(seed) + GOLDEN) ^ np.uint64(origin[d]) * GOLDEN)
        own = murmur3(murmur3(np.uint64(seed) - GOLDEN) ^ np.uint64(document[d]) * GOLDEN)
        part = (words[d] - 2 * SHINGLE + 2) / max(replaced[d], 1)
        chosen = 0
        where = np.int64(-1)
        for i in range(words[d]):
            if i > where and chosen < replaced[d]:
                room = max(1, int(part) - SHINGLE + 1)
                drawn = murmur3(own ^ np.uint64(chosen + 1) * GOLDEN)
                where = SHINGLE - 1 + int(chosen * part) + np.int64(drawn % np.uint64(room))
                chosen += 1
            value = murmur3(state + np.uint64(i + 1) * GOLDEN)
            word = draws[value >> _UPPER]
            if i == where:
                other = draws[murmur3(own + np.uint64(i + 1) * GOLDEN) >> _UPPER]
                word = other if other != word else (word + 1) % (starts.size - 1)
            for letter in range(starts[word], starts[word + 1]):
                data[at] = letters[letter]
                at += 1
            mark = value & _LOWER
            if mark < _STOPS:
                data[at] = 46
                at += 1
            if i + 1 < words[d]:
                data[at] = 10 if mark < _BREAKS else 32
                at += 1
        offsets[d + 1] = at
