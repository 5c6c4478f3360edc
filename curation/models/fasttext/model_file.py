"""Reads the file of a supervised fastText model (.bin or .ftz) into NumPy arrays.

Source: Joulin et al. 2016, "Bag of Tricks for Efficient Text Classification" (arXiv:1607.01759) and "FastText.zip"
(arXiv:1612.03651); format version 12 as fastText 0.9 writes it. Compressed models are decompressed: the embedded one
takes 3.5 MB.

R rows of the input matrix (words first, then n-grams), D dimensions, W words, L labels, B buckets of n-grams.
"""

import struct
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from curation.text.kernels.buffers import Bytes, Indices, offsets_of
from curation.text.kernels.compiler.kernel import Grid

_MAGIC = 793712314
_VERSION = 12
_SUPERVISED = 3  # kind of model; others have no labels
_CENTROIDS = 256
_MOST_BUCKETS = 1 << 25  # 128 MB; fastText makes 2 million unless it is told otherwise
_MOST_NUMBERS = 1 << 27  # of a decompressed matrix: 512 MB
_MOST_NGRAM = 64  # characters or words of an n-gram: each makes every text slower
_MOST_LABELLED = 10**15  # examples of all labels: fastText builds its tree of labels with this as infinity
LOSSES = {1: "hs", 2: "ns", 3: "softmax", 4: "ova"}
Matrix: TypeAlias = Grid[npt.NDArray[np.float32]]
Rows: TypeAlias = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class FasttextModel:
    """The parts of a model that prediction needs."""

    loss: str  # of LOSSES
    word_ngrams: int
    min_ngram: int  # characters
    max_ngram: int
    words: Bytes  # UTF-8 of all words, in order
    word_offsets: Indices  # int64[W + 1]
    labels: tuple[str, ...]  # [L], with "__label__"
    label_counts: Indices  # int64[L], never rising
    buckets: Rows  # int32[B]: row of the n-grams in each bucket, -1 if it was pruned
    input: Matrix  # float32[R, D]
    output: Matrix  # float32[L, D]; for "hs" its first L - 1 rows are those of the inner nodes


class _Reader:
    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def take(self, form: str) -> tuple[int, ...]:
        values = struct.unpack_from(f"<{form}", self._content, self._at)
        self._at += struct.calcsize(f"<{form}")
        return values

    def array(self, kind: str, count: int) -> npt.NDArray[np.generic]:
        begin = self._at
        self._at = self._at + count * np.dtype(kind).itemsize
        if not begin <= self._at <= len(self._content):
            raise ValueError("it is cut short")
        array: npt.NDArray[np.generic] = np.frombuffer(self._content, np.dtype(kind), count, begin)
        return array

    def name(self) -> bytes:
        end = self._content.find(b"\0", self._at)
        if end < 0:
            raise ValueError("it is cut short")
        name = self._content[self._at : end]
        self._at = end + 1
        return name


def parse(content: bytes) -> FasttextModel:
    """Raises ValueError if the content is not a supervised model of this version, is cut short or inconsistent."""
    reader = _Reader(content)
    try:
        model = _model(reader)
    except struct.error as error:
        raise ValueError("it is cut short") from error
    _check(model)
    return model


def _check(model: FasttextModel) -> None:
    """Raises ValueError where the parts do not fit together: kernels do not check bounds."""
    rows, dimensions = model.input.shape
    if max(model.buckets.max(initial=-1) + 1, len(model.word_offsets) - 1) > rows:
        raise ValueError("it names rows that it does not have")
    if not len(model.buckets) and (model.max_ngram > 0 or model.word_ngrams > 1):
        raise ValueError("it has n-grams but no buckets for them")
    if not model.labels or not dimensions or model.output.shape != (len(model.labels), dimensions):
        raise ValueError("its labels and its matrices differ in size")
    if model.label_counts.min() < 0 or sum(model.label_counts.tolist()) >= _MOST_LABELLED:
        raise ValueError("it states impossible numbers of examples for its labels")
    if not (np.isfinite(model.input).all() and np.isfinite(model.output).all()):
        raise ValueError("its matrices hold numbers that are not finite")


def _model(reader: _Reader) -> FasttextModel:
    if reader.take("ii") != (_MAGIC, _VERSION):
        raise ValueError(f"it does not begin as a fastText model of version {_VERSION} does")
    _, _, _, _, _, word_ngrams, loss, kind, bucket, min_ngram, max_ngram, _ = reader.take("12i")
    reader.take("d")
    if kind != _SUPERVISED or loss not in LOSSES:
        raise ValueError("it holds word vectors, not labels")
    if not all(0 <= size <= _MOST_NGRAM for size in (word_ngrams, min_ngram, max_ngram)):
        raise ValueError(
            f"it states n-grams of {word_ngrams:,} words and {min_ngram:,} to {max_ngram:,} characters, more than the "
            f"{_MOST_NGRAM} that are read"
        )
    size, words, _, _, pruned = reader.take("iiiqq")
    entries = [(reader.name(), reader.take("qb")[0]) for _ in range(size)]  # (name, occurrences)
    if not 0 <= words <= size:
        raise ValueError("it states more words than names, or fewer than none")
    names = [name for name, _ in entries]
    if not 0 <= bucket <= _MOST_BUCKETS:
        raise ValueError(f"it states {bucket:,} buckets of n-grams, more than the {_MOST_BUCKETS:,} that are read")
    kept = reader.array("<i4", 2 * max(pruned, 0)).reshape(-1, 2)
    compressed = reader.take("?")[0]
    rows = _quantized(reader) if compressed else _dense(reader)
    output = _quantized(reader) if reader.take("?")[0] and compressed else _dense(reader)
    return FasttextModel(
        loss=LOSSES[loss],
        word_ngrams=word_ngrams,
        min_ngram=min_ngram,
        max_ngram=max_ngram,
        words=np.frombuffer(b"".join(names[:words]), np.uint8),
        word_offsets=offsets_of(np.array([len(name) for name in names[:words]], np.int64)),
        labels=tuple(name.decode() for name in names[words:]),
        label_counts=np.array([count for _, count in entries[words:]], np.int64),
        buckets=_buckets(kept, bucket, words, pruned, rows=len(rows)),
        input=rows,
        output=output,
    )


def _buckets(kept: npt.NDArray[Any], bucket: int, words: int, pruned: int, *, rows: int) -> Rows:
    """`pruned` is the number of n-grams left, `kept`, or -1 if the model was not pruned; `rows` of the input matrix."""
    if pruned < 0:
        if words + bucket > rows:
            raise ValueError("it names rows that it does not have")
        return np.arange(words, words + bucket, dtype=np.int32)
    of_buckets = np.full(bucket, -1, np.int32)
    if kept.min(initial=0) < 0 or kept[:, 0].max(initial=-1) >= bucket or kept[:, 1].max(initial=-1) >= rows - words:
        raise ValueError("it names n-grams that it does not have")
    of_buckets[kept[:, 0]] = kept[:, 1] + words
    return of_buckets


def _dense(reader: _Reader) -> Matrix:
    rows, columns = reader.take("qq")
    return np.ascontiguousarray(reader.array("<f4", rows * columns).reshape(rows, columns), np.float32)


def _quantized(reader: _Reader) -> Matrix:
    """Decompress a product-quantized matrix: each code stands for a few columns; one more is the row's length."""
    normed, rows, columns, code_bytes = reader.take("?qqi")
    if not 1 <= rows * columns <= _MOST_NUMBERS or columns < 1:
        raise ValueError(f"it has a matrix of {rows:,} times {columns:,} numbers, not of 1 to {_MOST_NUMBERS:,}")
    codes = reader.array("u1", code_bytes).reshape(rows, -1)
    centroids, width = _centroids(reader)
    if width < 1 or -(-columns // width) != codes.shape[1] or len(centroids) != columns * _CENTROIDS:
        raise ValueError("its codes and its columns differ in number")
    out = np.empty((rows, columns), np.float32)
    for block in range(codes.shape[1]):
        stop = min((block + 1) * width, columns)
        table = centroids[block * _CENTROIDS * width :][: _CENTROIDS * (stop - block * width)]
        out[:, block * width : stop] = table.reshape(_CENTROIDS, -1)[codes[:, block]]
    if normed:
        norm_codes = reader.array("u1", rows)
        lengths, _ = _centroids(reader)
        if len(lengths) < _CENTROIDS:
            raise ValueError("it has no lengths for its rows")
        out *= lengths[norm_codes][:, None]
    return out


def _centroids(reader: _Reader) -> tuple[Matrix, int]:
    columns, _, width, _ = reader.take("iiii")
    return reader.array("<f4", columns * _CENTROIDS).astype(np.float32), width
