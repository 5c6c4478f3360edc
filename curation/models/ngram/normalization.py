"""The forms that text is brought into before an n-gram model reads it.

    none   as it is
    nfc    Unicode NFC; every whitespace character but the line feed becomes a space
    ccnet  lower case, without accents, every digit as 0, typographic punctuation as its ASCII equivalent, without
           control characters; whitespace as in nfc

Line feeds stay, so that line k of the result is line k of the text. Bytes that are not UTF-8 stay as well.
Source of `ccnet`: Wenzek et al. 2020, "CCNet: Extracting High Quality Monolingual Datasets from Web Crawl Data"
(arXiv:1911.00359), section 3.3, and the characters that its code changes. That code also deletes tabs and line feeds,
which joins words, and takes Hangul syllables apart, which SentencePiece undoes; here whitespace separates words and
syllables stay whole.
"""

import unicodedata
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from curation.text.edits.mark_order import normal_form, with_ordered_marks
from curation.text.kernels.buffers import Bytes, Indices, text_array, text_buffers
from curation.text.kernels.compiler.kernel import Int, Out, kernel, read_only
from curation.text.kernels.unicode import REPLACEMENT, decode

Normalization: TypeAlias = Literal["none", "nfc", "ccnet"]

_CODES = 0x40000  # no later character changes
_HANGUL = ("가", "힣")  # the first and the last syllable
_PUNCTUATION = {
    "„“”«»《》「」": '"',
    "’´": "'",
    "，、": ",",
    "。": ".",
    "．": ". ",
    "：∶": ":",
    "；": ";",
    "？": "?",
    "！": "!",
    "（": "(",
    "）": ")",
    "【": "[",
    "】": "]",
    "〈": "<",
    "〉": ">",
    "％": "%",
    "～": "~",
    "–━►": "-",
    "—": " - ",
    "…": "...",
}


class _Forms(NamedTuple):
    """What replaces each character: data[offsets[code]:offsets[code + 1]]."""

    data: Bytes
    offsets: Indices  # int64[_CODES + 1]


def normalize(text: pa.Array | pa.ChunkedArray, normalization: Normalization) -> pa.Array | pa.ChunkedArray:
    """large_string[N] of text[N]."""
    if normalization == "none":
        return text
    forms = _forms(normalization)
    data, offsets = text_buffers(_composed(text) if normalization == "nfc" else text)
    sizes = np.zeros(len(offsets), np.int64)
    _rewrite(data, offsets, forms, np.empty(0, np.uint8), sizes)
    out = np.empty(sizes[-1], np.uint8)
    _rewrite(data, offsets, forms, out, sizes)
    return text_array(out, sizes)


def _composed(text: pa.Array | pa.ChunkedArray) -> pa.Array:
    """The texts in NFC; what is not UTF-8 in one stays."""
    text = text.combine_chunks() if isinstance(text, pa.ChunkedArray) else text
    try:
        return normal_form(text.cast(pa.large_binary()).cast(pa.large_string()), "NFC")
    except pa.ArrowInvalid:
        texts = text.cast(pa.large_binary()).to_pylist()
    strings = ((content or b"").decode("utf-8", "surrogateescape") for content in texts)
    ordered = (with_ordered_marks(string, "NFC") for string in strings)
    composed = [unicodedata.normalize("NFC", string).encode("utf-8", "surrogateescape") for string in ordered]
    return pa.array(composed, pa.large_binary()).view(pa.large_string())


@lru_cache
def _forms(normalization: Normalization) -> _Forms:
    characters = map(chr, range(_CODES))
    punctuation = {char: form for chars, form in _PUNCTUATION.items() for char in chars}
    if normalization == "ccnet":
        forms = [_ccnet(char, punctuation) for char in characters]
    else:
        forms = [_spaced(char) for char in characters]
    encoded = [form.encode("utf-8", "surrogatepass") for form in forms]
    offsets = np.zeros(_CODES + 1, np.int64)
    np.cumsum([len(form) for form in encoded], out=offsets[1:])
    return read_only(_Forms(np.frombuffer(b"".join(encoded), np.uint8), offsets))


def _spaced(char: str) -> str:
    return " " if char.isspace() and char != "\n" else char


def _ccnet(char: str, punctuation: dict[str, str]) -> str:
    if char.isspace():
        return _spaced(char)
    if char in punctuation:
        return punctuation[char]
    if unicodedata.category(char) == "Cc":
        return ""
    if char.isdecimal():
        return "0"
    if _HANGUL[0] <= char <= _HANGUL[1]:
        return char
    parts = unicodedata.normalize("NFD", char.lower())
    return "".join(part for part in parts if unicodedata.category(part) != "Mn")


@kernel
def _rewrite(data: Bytes, offsets: Indices, forms: _Forms, out: Out[Bytes], ends: Out[Indices]) -> None:
    """Fill `ends` int64[N + 1] with where each text ends in `out`, and `out` if it has any room."""
    table, places = forms
    to = 0
    writes = out.size > 0
    for document in range(offsets.size - 1):
        at = offsets[document]
        stop = offsets[document + 1]
        while at < stop:
            code: Int = np.int64(data[at])
            size: Int = 1
            if code >= 0x80:
                code, size = decode(data, at, stop)
            if code < places.size - 1 and not (code == REPLACEMENT and size == 1):
                first = places[code]
                last = places[code + 1]
                if writes:
                    for k in range(last - first):
                        out[to + k] = table[first + k]
                to += last - first
            else:
                if writes:
                    for k in range(size):
                        out[to + k] = data[at + k]
                to += size
            at += size
        ends[document + 1] = to
