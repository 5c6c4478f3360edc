"""Loads a tokenizer from a tokenizer.json of the `tokenizers` library or from a SentencePiece model.

The content decides which of the two it is, not the name. Special tokens are never produced from text: a page that
spells out "<|endoftext|>" is encoded as those characters. Ids may have gaps; the vocabulary ends after the largest.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core import storage
from curation.core.errors import InputError
from curation.tokens.encoders.piece_model import PieceModel
from curation.tokens.encoders.special_tokens import END_OF_TEXT, PADDING
from curation.tokens.encoders.tokenizer_json import TokenizerJson
from curation.tokens.manifests import checksum
from curation.tokens.token_files import Vocabulary

KNOWN_ENDS = (END_OF_TEXT, "<|end_of_text|>", "</s>", "<eos>", "<|eos|>", "[EOS]", "<｜end▁of▁sentence｜>")
# names of a copy of the file
JSON = "tokenizer.json"
MODEL = "tokenizer.model"
MAX_SIZE = 1 << 32  # a token takes four bytes at most


@dataclass(frozen=True)
class LoadedTokenizer:
    """Encodes and decodes text."""

    vocabulary: Vocabulary
    _encoder: TokenizerJson | PieceModel = field(repr=False)

    def encode(self, texts: pa.Array) -> pa.LargeListArray:
        """large_string[N] -> large_list<uint16|uint32>[N], each document's ids and end-of-text.

        A null counts as empty. Uses one core. Memory: the ids twice, and what `tokenizer_json` and `piece_model` take
        for the largest text.
        """
        return self._with_ends(self._encoder.ids(texts))

    def encode_by_library(self, texts: pa.Array) -> pa.LargeListArray:
        """The same as `encode`, without tiktoken."""
        return self._with_ends(self._encoder.library_ids(texts))

    def _with_ends(self, encoded: Iterable[npt.NDArray[Any]]) -> pa.LargeListArray:
        ids = list(encoded)
        offsets = np.cumsum([0, *(len(document) + 1 for document in ids)], dtype=np.int64)
        values = np.empty(offsets[-1], self.vocabulary.dtype)
        values[offsets[1:] - 1] = self.vocabulary.end_of_text
        for start, document in zip(offsets, ids, strict=False):
            values[start : start + len(document)] = document
        return pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(values))

    def decode(self, ids: Sequence[int]) -> str:
        """Special tokens become their names, bytes that are not UTF-8 become U+FFFD."""
        return self._encoder.decode(ids)

    def tokens(self) -> list[bytes | str]:
        """By id: the bytes that a token stands for, the name of a special token, or "" for an id without a token."""
        known = self._encoder.tokens()
        return [known.get(number, "") for number in range(self.vocabulary.size)]


@lru_cache(maxsize=8)
def load(uri: str) -> LoadedTokenizer:
    """Reads the file once per process. Raises InputError if it is missing, and as `parse` does."""
    return parse(storage.read_bytes(uri), uri)


def parse(content: bytes, uri: str) -> LoadedTokenizer:
    """The tokenizer in a file's content; `uri` names it in messages.

    End-of-text is the one that a SentencePiece model names, else the first of KNOWN_ENDS in the vocabulary. Padding is
    the one that such a model names, else PADDING, else the id after the last.

    Raises InputError for content that is no tokenizer, has no end-of-text token, has one that text can become, or has
    ids of more than four bytes.
    """
    is_json = content.lstrip().startswith(b"{")
    encoder = TokenizerJson(content, uri) if is_json else PieceModel(content, uri)
    names = encoder.vocabulary
    end = encoder.end if encoder.end is not None else next((names[name] for name in KNOWN_ENDS if name in names), None)
    if end is None:
        raise InputError(f"{uri} has no end-of-text token ({' or '.join(KNOWN_ENDS)}); add one as a special token")
    size = max(names.values()) + 1
    padding = encoder.padding if encoder.padding is not None else names.get(PADDING, size)
    size = max(size, padding + 1)
    if size > MAX_SIZE:
        raise InputError(f"{uri} has token ids up to {size - 1:,}; they must be below 2^32")
    _check_not_text(encoder, {end, padding}, uri)
    vocabulary = Vocabulary(
        size=size, end_of_text=end, padding=padding, tokenizer=checksum(content), file=JSON if is_json else MODEL
    )
    return LoadedTokenizer(vocabulary, encoder)


def _check_not_text(encoder: TokenizerJson | PieceModel, ids: set[int], uri: str) -> None:
    names = [name for name, number in encoder.vocabulary.items() if number in ids]
    for name, encoded in zip(names, encoder.library_ids(pa.array(names, pa.large_string())), strict=True):
        if encoder.vocabulary[name] in encoded:
            raise InputError(f"{uri} encodes text that spells out {name} as that token; mark it as a special token")
