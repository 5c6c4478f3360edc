"""Loads a tokenizer: a tokenizer.json of the `tokenizers` library, a SentencePiece model, or what becomes the first.

The content decides which of them it is, not the name. Special tokens are never produced from text: a page that spells
out "<|endoftext|>" is encoded as those characters. Ids may have gaps; the vocabulary ends after the largest.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core import storage
from curation.core.errors import InputError
from curation.tokens.encoders.merges_file import CLASSES, stated_by_merges
from curation.tokens.encoders.named_patterns import named
from curation.tokens.encoders.piece_model import PieceModel
from curation.tokens.encoders.ranks_file import is_ranks, pattern_by_name, stated_by_ranks
from curation.tokens.encoders.special_tokens import PADDING
from curation.tokens.encoders.text_ends import AUTO, StatedEnds, begin_of, end_of
from curation.tokens.encoders.tokenizer_files import JSON, Tokenizer, TokenizerFiles, find_tokenizer
from curation.tokens.encoders.tokenizer_json import TokenizerJson
from curation.tokens.encoders.tokenizer_settings import TokenizerSettings, read_settings
from curation.tokens.manifests import checksum
from curation.tokens.token_files import Vocabulary

MODEL = "tokenizer.model"  # name of a copy of the file, as is JSON
MAX_SIZE = 1 << 24  # of a vocabulary, which is listed id by id; the largest that are in use have 2^18
SHOWN = 5  # letters that a warning names
Encoder = TokenizerJson | PieceModel


@dataclass(frozen=True)
class PlainTokenizer:
    """Encodes and decodes text, without tokens around it. `content`: a file that says all of it, called `file`;
    `pattern`: that which the content was made with, AUTO where a file says it itself."""

    name: str  # in messages
    file: str
    content: bytes = field(repr=False)
    size: int  # of the vocabulary, with a padding id of its own if the tokenizer has none
    padding: int
    beside: TokenizerSettings
    pattern: str
    _encoder: Encoder = field(repr=False)

    def text_ids(self, texts: pa.Array, *, by_library: bool = False) -> list[npt.NDArray[Any]]:
        """The ids of each text; a null counts as empty. `by_library`: without tiktoken. Uses one core."""
        return [*(self._encoder.library_ids(texts) if by_library else self._encoder.ids(texts))]

    def decode(self, ids: Sequence[int]) -> str:
        """Special tokens become their names, bytes that are not UTF-8 become U+FFFD."""
        return self._encoder.decode(ids)

    def warning(self) -> str:
        """A line on letters that the tokenizer drops, because it has neither bytes nor a token for what it does not
        know; empty if it drops none."""
        if isinstance(self._encoder, PieceModel):
            return ""
        dropped, tried = self._encoder.unknown_letters()
        if not dropped:
            return ""
        some = " ".join(dropped[:: -(-len(dropped) // SHOWN)])
        return (
            f"{self.name} has no token for {len(dropped)} of {tried} letters of many scripts ({some} …) and would drop "
            "them from the text without a trace; give a tokenizer that falls back to bytes or has an unk_token"
        )

    def tokens(self) -> list[bytes | str]:
        """By id: the bytes that a token stands for, the name of a special token, or "" for an id without a token."""
        known = self._encoder.tokens()
        return [known.get(number, "") for number in range(self.size)]

    def name_of(self, number: int) -> str:
        """The name of a token; empty for an id without one."""
        return next((name for name, own in self._encoder.names.items() if own == number), "")

    def with_ends(self, begin: str, end: str) -> "LoadedTokenizer":
        """With a token before and one behind each text, as `text_ends` chooses them. Raises InputError as that does,
        and for one that text can become."""
        stated = self._stated()
        first = begin_of(stated, begin)
        last = end_of(stated, end, first)
        _check_not_text(self._encoder, {last, self.padding} | ({first} if first is not None else set()), self.name)
        vocabulary = Vocabulary(
            size=self.size,
            begin_of_text=first,
            end_of_text=last,
            padding=self.padding,
            tokenizer=checksum(self.content),
            file=self.file,
        )
        return LoadedTokenizer(vocabulary, self)

    def _stated(self) -> StatedEnds:
        own = self._encoder
        common: dict[str, Any] = {"file": self.name, "ids": own.names, "special": own.special_names()}
        if isinstance(own, TokenizerJson):
            return StatedEnds(**common, template=own.template, padding=own.padding_name, beside=self.beside)
        return StatedEnds(**common, template=None, named_begin=own.begin, named_end=own.end, beside=self.beside)


@dataclass(frozen=True)
class LoadedTokenizer:
    """Encodes documents, and decodes text."""

    vocabulary: Vocabulary
    text: PlainTokenizer

    def encode(self, texts: pa.Array) -> pa.LargeListArray:
        """large_string[N] -> large_list<uint16|uint32>[N], each document's begin-of-text if there is one, its ids and
        its end-of-text.

        A null counts as empty. Uses one core. Memory: the ids twice, and what `tokenizer_json` and `piece_model` take
        for the largest text.
        """
        return self._with_ends(self.text.text_ids(texts))

    def encode_by_library(self, texts: pa.Array) -> pa.LargeListArray:
        """The same as `encode`, without tiktoken."""
        return self._with_ends(self.text.text_ids(texts, by_library=True))

    def _with_ends(self, ids: Sequence[npt.NDArray[Any]]) -> pa.LargeListArray:
        first = int(self.vocabulary.begin_of_text is not None)
        offsets = np.cumsum([0, *(first + len(document) + 1 for document in ids)], dtype=np.int64)
        values = np.empty(offsets[-1], self.vocabulary.dtype)
        values[offsets[1:] - 1] = self.vocabulary.end_of_text
        if first:
            values[offsets[:-1]] = self.vocabulary.begin_of_text
        for start, document in zip(offsets + first, ids, strict=False):
            values[start : start + len(document)] = document
        return pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(values))

    def decode(self, ids: Sequence[int]) -> str:
        """As PlainTokenizer."""
        return self.text.decode(ids)

    def tokens(self) -> list[bytes | str]:
        """As PlainTokenizer."""
        return self.text.tokens()


@lru_cache(maxsize=8)
def load(tokenizer: Tokenizer, begin: str = AUTO, end: str = AUTO, pattern: str = AUTO) -> LoadedTokenizer:
    """Reads the files once per process; see `tokenizer_files`, `text_ends` and `named_patterns` for the options.

    Raises InputError if they are missing, do not say with which token a document begins or ends, or have one for it
    that text can become, and as `parse` does."""
    return load_text(tokenizer, pattern).with_ends(begin, end)


@lru_cache(maxsize=8)
def load_text(tokenizer: Tokenizer, pattern: str = AUTO) -> PlainTokenizer:
    """As `load`, where nothing stands around a text."""
    files = find_tokenizer(tokenizer)
    beside = read_settings(files.settings)
    if len(files.main) > 1:
        return _of_merges(files, beside, pattern)
    (uri,) = files.main
    content = storage.read_bytes(uri)
    if is_ranks(content):
        chosen = pattern_by_name(uri) if pattern == AUTO else pattern
        made = stated_by_ranks(content, uri, named(chosen))
        return _opened(json.dumps(made, ensure_ascii=False).encode(), uri, beside, chosen)
    if pattern != AUTO:
        raise InputError(f"pattern: {uri} says itself how it cuts text; leave `pattern` out")
    return _opened(content, uri, beside)


def _of_merges(files: TokenizerFiles, beside: TokenizerSettings, pattern: str) -> PlainTokenizer:
    if len(files.main) > 2:
        raise InputError(f"tokenizer: {files.name} are more than one tokenizer; name one")
    chosen = CLASSES.get(beside.kind, "gpt2") if pattern == AUTO else pattern
    vocabulary, merges = map(storage.read_bytes, files.main)
    made = stated_by_merges(vocabulary, merges, files.name, chosen, beside)
    return _opened(json.dumps(made, ensure_ascii=False).encode(), files.name, beside, chosen)


def parse(content: bytes, uri: str) -> PlainTokenizer:
    """The tokenizer in the content of one file, which says nothing of files beside it; `uri` names it in messages.

    Padding is the one that a SentencePiece model names, else PADDING, else the id after the last.

    Raises InputError for content that is no tokenizer, or has ids beyond MAX_SIZE."""
    return _opened(content, uri, TokenizerSettings())


def _opened(content: bytes, uri: str, beside: TokenizerSettings, pattern: str = AUTO) -> PlainTokenizer:
    is_json = content.lstrip().startswith(b"{")
    encoder: Encoder = TokenizerJson(content, uri) if is_json else PieceModel(content, uri)
    names = encoder.names
    size = max(names.values()) + 1
    named_padding = None if isinstance(encoder, TokenizerJson) else encoder.padding
    padding = names.get(PADDING if named_padding is None else named_padding, size)
    size = max(size, padding + 1)
    if size > MAX_SIZE:
        raise InputError(f"{uri} has token ids up to {size - 1:,}; they must be below 2^24")
    return PlainTokenizer(uri, JSON if is_json else MODEL, content, size, padding, beside, pattern, encoder)


def _check_not_text(encoder: Encoder, ids: Iterable[int], uri: str) -> None:
    names = [name for name, number in encoder.names.items() if number in ids]
    for name, encoded in zip(names, encoder.library_ids(pa.array(names, pa.large_string())), strict=True):
        if encoder.names[name] in encoded:
            raise InputError(f"{uri} encodes text that spells out {name} as that token; mark it as a special token")
