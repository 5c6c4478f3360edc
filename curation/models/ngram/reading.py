"""How an n-gram model reads text: as tokens separated by ASCII whitespace, one sentence a line.

Tokens are the words of normalized text or, with a SentencePiece model, its pieces; both end at ASCII whitespace, as in
KenLM. A line of the text is a sentence: a model is trained on lines and scores lines. Lines without a token do not
count. The tokens of SPECIAL stand for themselves in a model, so those in a text are unknown words when it is scored and
left out when n-grams are counted.
"""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import pyarrow as pa
import sentencepiece

from curation.core import storage
from curation.core.errors import InputError
from curation.models.ngram.normalization import Normalization, normalize
from curation.text.kernels.blocks import stands_at
from curation.text.kernels.buffers import Bytes, Indices, phrase_buffers, text_buffers
from curation.text.kernels.compiler.kernel import Int, Out, kernel

SPECIAL = ("<unk>", "<s>", "</s>")
_NEWLINE = 10
# The bits of ASCII whitespace and NUL, at which lmplz ends a word too.
BLANKS = np.uint64(1 << 0 | 0b11111 << 9 | 1 << 32)


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


def token_spans(text: pa.Array | pa.ChunkedArray) -> tuple[Bytes, Indices, Indices]:
    """(data, int64[T] starts, int64[T] stops) of the tokens of text[N] in order, an empty span after each sentence."""
    data, offsets = text_buffers(text)
    most = int(offsets[-1] - offsets[0]) + 2 * len(offsets)  # untouched room takes no memory
    starts = np.empty(most, np.int64)
    stops = np.empty(most, np.int64)
    count = _find_tokens(data, offsets, *phrase_buffers(SPECIAL), starts, stops)
    return data, starts[:count].copy(), stops[:count].copy()


@kernel
def is_blank(byte: Int) -> bool:
    """Whether a token ends before this byte."""
    return bool(byte <= 32 and BLANKS >> np.uint64(byte) & np.uint64(1))


@kernel
def is_special(data: Bytes, start: Int, stop: Int, special: Bytes, bounds: Indices) -> bool:
    """Whether a token is one of SPECIAL, given as bytes and offsets."""
    if data[start] != special[0] or data[stop - 1] != special[bounds[1] - 1]:
        return False
    for k in range(bounds.size - 1):
        if bounds[k + 1] - bounds[k] == stop - start and stands_at(
            data, start, stop, special, bounds[k], bounds[k + 1]
        ):
            return True
    return False


@kernel
def _find_tokens(
    data: Bytes, offsets: Indices, special: Bytes, bounds: Indices, starts: Out[Indices], stops: Out[Indices]
) -> int:
    count = 0
    for document in range(offsets.size - 1):
        at = offsets[document]
        end = offsets[document + 1]
        first = count
        while at <= end:
            if at == end or data[at] == _NEWLINE:
                if count > first:
                    starts[count] = stops[count] = at
                    count += 1
                first = count
                at += 1
            elif is_blank(data[at]):
                at += 1
            else:
                start = at
                while at < end and not is_blank(data[at]):
                    at += 1
                if not is_special(data, start, at, special, bounds):
                    starts[count] = start
                    stops[count] = at
                    count += 1
    return count


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
        return sentencepiece.SentencePieceProcessor(model_proto=content)
    except (RuntimeError, TypeError) as error:
        raise InputError(f"{model} is not a SentencePiece model: {error}") from error
