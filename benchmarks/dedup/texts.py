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

Ints = npt.NDArray[np.int64]

ORIGINAL, EXACT, NEAR, FAR = range(4)  # kinds of documents
SKEW = 3  # of the originals that are copied
VOCABULARY = 50_000  # words
LONGEST = 10  # letters of a word
DRAWS = 1 << 20  # equal draws of a word
ENDS = (68, 341)  # of 4,096 words: ended by a full stop and a line break, and by a full stop with or without one
GROUP = 10_000  # documents per row group
SHINGLE = 5


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


@dataclass(frozen=True, eq=False)
class Plan:
    """What each of N documents is, known before a text is written."""

    kind: Ints
    origin: Ints  # number of the original whose words it has
    family: Ints


@dataclass(frozen=True)
class Written:
    """Bytes of text in a folder, and the least and greatest likeness of the copies of each kind."""

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
    likenesses: list[npt.NDArray[np.float64]] = []
    schema = pa.schema([("id", pa.string()), ("text", pa.large_string())])
    for number, first in enumerate(range(0, mix.documents, per_file)):
        stop = min(first + per_file, mix.documents)
        with pq.ParquetWriter(folder / f"texts-{number:05d}.parquet", schema, compression="lz4") as file:
            for start in range(first, stop, GROUP):
                rows = slice(start, min(start + GROUP, stop))
                texts, words, replaced = texts_of(mix, planned, rows)
                ids = pc.cast(pa.array(np.arange(rows.start, rows.stop)), pa.string())
                file.write_table(pa.table([ids, texts], schema=schema))
                text_bytes += pc.sum(pc.binary_length(texts)).as_py()
                likenesses.append(likeness(words, replaced))
    every = np.concatenate(likenesses)
    bounds = (every[planned.kind == kind] for kind in (NEAR, FAR))
    return Written(text_bytes, *((float(own.min(initial=1)), float(own.max(initial=0))) for own in bounds))


def texts_of(mix: Mix, planned: Plan, rows: slice) -> tuple[pa.Array, Ints, Ints]:
    """(large_string[N], int64[N] words, int64[N] replaced words) of these documents."""
    vocabulary, draws = _vocabulary(mix.seed)
    of_origin = _hashed(planned.origin[rows], 2 * mix.seed)
    own = _hashed(np.arange(rows.start, rows.stop), 2 * mix.seed + 1)
    words = mix.words - mix.words // 2 + _below(of_origin, 2 * (mix.words // 2) + 1)
    share = np.choose(planned.kind[rows], [0, 0, mix.near_words, mix.far_words])
    replaced = np.where(share > 0, np.maximum(1, np.rint(share * words)), 0).astype(np.int64)

    document, place = _within(words)
    values = _hashed(place, of_origin[document])
    word = draws[values >> np.uint64(44)]

    # Replaced words lie in as many parts of equal length of what is not an end.
    copy, number = _within(replaced)
    part = (words - 2 * SHINGLE + 2)[copy] / replaced[copy]
    room = np.maximum(1, part.astype(np.int64) - SHINGLE + 1)
    where = SHINGLE - 1 + (number * part).astype(np.int64) + _below(_hashed(number, own[copy]), room)
    at = (np.cumsum(words) - words)[copy] + where
    other = draws[_hashed(where, ~own[copy]) >> np.uint64(44)]
    word[at] = np.where(other != word[at], other, (other + 1) % VOCABULARY)

    ends = np.searchsorted(ENDS, (values & np.uint64(0xFFF)).astype(np.int64), side="right")
    spelled = vocabulary.take(pa.array(word * (len(ENDS) + 1) + ends))
    offsets = np.concatenate([[0], np.cumsum(words)])
    spaced = pc.binary_join(pa.ListArray.from_arrays(offsets.astype(np.int32), spelled), pa.scalar(" ", spelled.type))
    return spaced, words, replaced


def _within(counts: Ints) -> tuple[Ints, Ints]:
    """For counts[N]: the row of each counted thing, and its number within the row."""
    rows = np.repeat(np.arange(len(counts)), counts)
    return rows, np.arange(len(rows)) - (np.cumsum(counts) - counts)[rows]


def _hashed(values: npt.NDArray[np.generic], seed: int | npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """uint64[N]: splitmix64's mixing of values and seeds."""
    mixed = values.astype(np.uint64) + np.asarray(seed, np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(1)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))


def _below(hashes: npt.NDArray[np.uint64], limit: int | Ints) -> Ints:
    return (hashes % np.asarray(limit, np.uint64)).astype(np.int64)


@cache
def _vocabulary(seed: int) -> tuple[pa.Array, Ints]:
    """Each word in three spellings, with either of ENDS and with none, and the word of each of DRAWS draws."""
    spelled = [f"{word}{end}" for word in _words(random.Random(seed)) for end in (".\n", ".", "")]
    weights = np.cumsum(1 / (np.arange(VOCABULARY) + 2.7))  # Mandelbrot's form of Zipf's law
    return pa.array(spelled, pa.large_string()), np.searchsorted(
        weights, (np.arange(DRAWS) + 0.5) / DRAWS * weights[-1]
    )


def _words(draw: random.Random) -> Iterator[str]:
    """VOCABULARY different words; the first ones are short."""
    seen: set[str] = set()
    while len(seen) < VOCABULARY:
        letters = 2 + min(len(seen) // 25, draw.randint(1, LONGEST - 2))
        word = "".join(draw.choices("etaoinshrdlucmfwypvbgk", k=letters))
        if word not in seen:
            seen.add(word)
            yield word
