"""How an n-gram model reads text: as tokens separated by ASCII whitespace, one sentence a line.

Tokens are the words of normalized text or, with a SentencePiece model, its pieces; both end at ASCII whitespace, as in
KenLM. A line of the text is a sentence: a model is trained on lines and scores lines. Lines without a token do not
count. The tokens of SPECIAL stand for themselves in a model, so those in a text are unknown words when it is scored and
left out when n-grams are counted.
"""

import hashlib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
import pyarrow as pa
import sentencepiece

from curation.core import storage
from curation.core.errors import InputError
from curation.models.ascii_tokens import BOUNDS, PIECE, split
from curation.models.ngram.normalization import Normalization, normalize
from curation.models.piece_file import parsed
from curation.text.kernels.blocks import REACH, characters_in
from curation.text.kernels.buffers import Bytes, Indices, text_buffers
from curation.text.kernels.compiler.kernel import Int, Out, kernel

SPECIAL = ("<unk>", "<s>", "</s>")
_NEWLINE = 10


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What turns text into tokens."""

    normalization: Normalization = "nfc"
    pieces: str = ""  # path or URI of a SentencePiece model; empty: words

    def digest(self) -> str:
        """SHA-256 in hex of the SentencePiece model; empty for words. Raises InputError if it is missing."""
        return hashlib.sha256(storage.read_bytes(self.pieces)).hexdigest() if self.pieces else ""

    def tokens(self, text: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
        """large_string[N]: the tokens of text[N], separated by whitespace, line by line."""
        normalized = normalize(text, self.normalization)
        return _in_pieces(normalized, self.pieces) if self.pieces else normalized


@dataclass(frozen=True, eq=False)
class Sentences:
    """The tokens of N texts in order, each sentence with an empty span at its end. T spans, L sentences."""

    data: Bytes
    starts: Indices  # int64[T]
    stops: Indices  # int64[T]
    offsets: Indices  # int64[N + 1]: where the texts begin and end

    @cached_property
    def ends(self) -> Indices:
        """int64[L]: the spans that end a sentence."""
        return np.flatnonzero(self.starts == self.stops)

    @cached_property
    def begins(self) -> Indices:
        """int64[L]: the first byte of each."""
        begins: Indices = self.starts[np.append(0, self.ends[:-1] + 1)[: len(self.ends)]]
        return begins

    @property
    def tokens(self) -> Indices:
        """int64[L]: of each, its end included."""
        return np.diff(self.ends, prepend=-1)

    @property
    def characters(self) -> Indices:
        """int64[L]: of the tokens of each."""
        letters = np.empty(len(self.ends), np.int64)
        _count_characters(self.data, self.starts, self.stops, letters)
        return letters

    @property
    def first(self) -> Indices:
        """int64[N + 1]: the sentences of text d are first[d] to first[d + 1] - 1."""
        first: Indices = np.searchsorted(self.stops[self.ends], self.offsets, side="right")
        return first


def sentences_of(text: pa.Array | pa.ChunkedArray) -> Sentences:
    """The lines of text[N] that have a token."""
    data, offsets = text_buffers(text)
    most = int(offsets[-1] - offsets[0]) + 2 * len(offsets)  # untouched room takes no memory
    starts = np.empty(most, np.int64)
    stops = np.empty(most, np.int64)
    count = _find_tokens(data, offsets, starts, stops)
    return Sentences(data, starts[:count].copy(), stops[:count].copy(), offsets)


@kernel
def _find_tokens(data: Bytes, offsets: Indices, starts: Out[Indices], stops: Out[Indices]) -> int:
    bounds = np.zeros(BOUNDS, np.int64)
    pad = np.zeros(REACH, np.uint8)
    count = 0
    for document in range(offsets.size - 1):
        at = offsets[document]
        end = offsets[document + 1]
        last: Int = at  # where the token before ends
        begun = False
        filled: Int = 0
        while at < end:
            filled = split(data, at, end, filled, bounds, pad)
            at += PIECE
            for token in range(filled >> 1):
                for gap in range(last, bounds[2 * token]):
                    if begun and data[gap] == _NEWLINE:
                        starts[count] = stops[count] = gap
                        count += 1
                        begun = False
                last = bounds[2 * token + 1]
                starts[count] = bounds[2 * token]
                stops[count] = last
                count += 1
                begun = True
            bounds[0] = bounds[max(filled - 1, 0)]
            filled = filled & 1
        if begun:
            while last < end and data[last] != _NEWLINE:
                last += 1
            starts[count] = stops[count] = last
            count += 1
    return count


@kernel
def _count_characters(data: Bytes, starts: Indices, stops: Indices, characters: Out[Indices]) -> None:
    """Those between the first token and the end of each sentence, without the blanks."""
    pad = np.zeros(REACH, np.uint8)
    sentence = 0
    begin: Int = -1
    letters: Int = 0
    for span in range(starts.size):
        begin = starts[span] if begin < 0 else begin
        letters += stops[span] - starts[span]
        if starts[span] == stops[span]:
            whole = stops[span] - begin
            characters[sentence] = characters_in(data, begin, stops[span], pad) - (whole - letters)
            sentence += 1
            begin = -1
            letters = 0


def _in_pieces(text: pa.Array | pa.ChunkedArray, model: str) -> pa.Array:
    """The lines of text[N] in pieces."""
    data, offsets = text_buffers(text)
    content = data.tobytes()
    processor = load_pieces(model)
    lines = [content[start:stop].decode("utf-8", "replace").split("\n") for start, stop in pairwise(offsets)]
    pieces = iter(processor.encode([line for group in lines for line in group], out_type=str))
    texts = ["\n".join(" ".join(next(pieces)) for _ in group) for group in lines]
    return pa.array(texts, pa.large_string())


@lru_cache(maxsize=256)
def load_pieces(model: str) -> sentencepiece.SentencePieceProcessor:
    """Raises InputError if there is no such file or it is not a SentencePiece model."""
    content = storage.read_bytes(model)
    try:
        parsed(content)
        return sentencepiece.SentencePieceProcessor(model_proto=content)
    except (RuntimeError, TypeError, ValueError) as error:
        raise InputError(f"{model} is not a SentencePiece model: {error}") from error
