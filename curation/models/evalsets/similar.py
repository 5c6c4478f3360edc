"""The item whose question is closest in direction to a piece of text: paraphrases, which share no n-gram.

Pieces are the lines of a text and its paragraphs, of 40 characters or more. Questions have 8 or more different words
that are not numbers; shorter ones are not checked, since a line of which the encoder knows one word would be equal to a
question of that word. Of each piece, the cosine with every question is
computed, exactly: I items of D dimensions cost I * D multiplications per piece. That is 20 ms for 70,000 items of 300
dimensions, so beyond some ten thousand items name fewer sets in the fit: nothing is approximated or left out.
Vectors of the items are held by each process: 4 * I * D bytes.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa

from curation.models.embeddings import encoders
from curation.models.embeddings.directions import Vectors, nearest
from curation.models.embeddings.word_vectors import WordVectors
from curation.models.evalsets.index import load
from curation.text.canonical_tokens import folded_texts
from curation.text.kernels.blocks import gather
from curation.text.kernels.buffers import Indices, text_array, text_buffers
from curation.text.spans import line_spans, paragraph_spans

LEAST_CHARACTERS = 40  # of a piece
LEAST_WORDS = 8  # different ones of a question


@dataclass(frozen=True, eq=False)
class Closest:
    """P pieces of N texts, and the closest item of each. Starts and stops are bytes of the row's text."""

    row: Indices  # int64[P]
    start: Indices  # int64[P]
    stop: Indices  # int64[P]
    item: Indices  # int64[P]
    cosine: np.ndarray[tuple[int], np.dtype[np.float64]]  # float64[P]


class Similar:
    """An encoder, and the vectors of an index's questions."""

    def __init__(self, encoder: WordVectors, questions: pa.Array) -> None:
        vectors = encoder.embed(questions)
        words = [{word for word in form.split() if not word.isdigit()} for form in folded_texts(questions)]
        telling = np.array([len(one) >= LEAST_WORDS for one in words], np.bool_)
        self._encoder = encoder
        self._numbers = np.flatnonzero(vectors.any(axis=1) & telling)
        self._vectors: Vectors = np.ascontiguousarray(vectors[self._numbers])

    def closest(self, text: pa.Array) -> Closest:
        """The pieces of text[N] that have a vector, by row."""
        row, start, stop = _pieces(text)
        data, offsets = text_buffers(text)
        vectors = self._encoder.embed(text_array(*gather(data, start, stop)))
        own = np.flatnonzero(vectors.any(axis=1)) if len(self._numbers) else np.zeros(0, np.int64)
        vectors = vectors[own]
        row = row[own]
        chosen = nearest(vectors, self._vectors)[:, 0] if len(own) else own
        cosine = np.einsum("pd,pd->p", vectors.astype(np.float64), self._vectors[chosen].astype(np.float64))
        begin = offsets[row]
        return Closest(row, start[own] - begin, stop[own] - begin, self._numbers[chosen], np.clip(cosine, 0.0, 1.0))


@lru_cache(maxsize=2)
def load_similar(uri: str, name: str, model: encoders.Model) -> Similar:
    """The items' vectors, computed once per process. Raises InputError if a file is missing or of another kind."""
    return Similar(encoders.load(name, model), load(uri).items["question"].combine_chunks())


def _pieces(text: pa.Array) -> tuple[Indices, Indices, Indices]:
    """Row, and bytes of the buffer, of lines and of paragraphs of several lines."""
    parts = []
    for spans in (line_spans(text), paragraph_spans(text)):
        rows = np.repeat(np.arange(len(text)), spans.count())
        parts.append(np.stack([rows, spans.starts, spans.stops])[:, spans.characters >= LEAST_CHARACTERS])
    row, start, stop = (np.ascontiguousarray(one) for one in np.unique(np.concatenate(parts, axis=1), axis=1))
    return row, start, stop
