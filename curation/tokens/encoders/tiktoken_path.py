"""Encodes with tiktoken what a byte-level BPE tokenizer.json would encode with `tokenizers`: the same ids, faster.

Here it is decided whether tiktoken can stand in: the merges must mean the same (`byte_pairs`), the cuts into words must
be expressible (`word_pattern`), and both engines of regular expressions must agree on every class of the expression
over some 35,000 characters. Merging is then the same by construction, and so are the cuts, as far as both engines read
the expression alike. That last part rests on samples: see `tokenizer_json`.

A document that holds a token which the tokenizer takes out of the text first, that its normalizer would change, or on
which the engine gives up (a million spaces on end) is left to `tokenizers`.
"""

import re
import unicodedata
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import tiktoken
from tokenizers import Regex, pre_tokenizers

from curation.tokens.encoders import byte_pairs, word_pattern
from curation.tokens.encoders.word_pattern import Alternatives, Inexpressible

Bools = npt.NDArray[np.bool_]
# tiktoken asks for special tokens in a way that is quick only where there is one; this is never looked for.
NEVER = {"\0never\0": 2**31}
BLOCK = 1 << 20  # tokens looked up at a time


class TiktokenPath:
    """Of a parsed tokenizer.json. Raises Inexpressible where tiktoken cannot stand in."""

    def __init__(self, stated: dict[str, Any]) -> None:
        self._normalizes = _normalizes(stated.get("normalizer"))
        taken = [token["content"] for token in stated.get("added_tokens", ()) if not token["special"]]
        if self._normalizes and not all(unicodedata.is_normalized("NFC", name) for name in taken):
            raise Inexpressible("it normalizes the tokens that it takes out of the text")
        self._taken = "|".join(map(re.escape, taken))
        ranks, ids = byte_pairs.ranks(stated)
        self._ids = ids.astype(np.uint16) if ids.max() < 1 << 16 else ids
        pattern = _pattern(stated.get("pre_tokenizer"))
        try:
            self._encoding = tiktoken.Encoding(
                "of a tokenizer.json", pat_str=pattern, mergeable_ranks=ranks, special_tokens=NEVER
            )
        except ValueError as error:
            raise Inexpressible(f"tiktoken does not read {pattern!r}: {error}") from error

    def able(self, texts: pa.Array) -> Bools:
        """bool[N]: texts in which nothing is to be done before they are cut into words."""
        able = np.ones(len(texts), np.bool_)
        if self._taken:
            holds = pc.fill_null(pc.match_substring_regex(texts, self._taken), False)
            able &= ~holds.to_numpy(zero_copy_only=False)
        if self._normalizes:
            able &= [unicodedata.is_normalized("NFC", text.as_py() or "") for text in texts]
        return able

    def encode(self, text: str) -> npt.NDArray[Any] | None:
        """uint16 or uint32 ids, or None where the engine gives up. For each byte of text up to 5 bytes of memory."""
        try:
            found = self._encoding.encode_to_numpy(text, disallowed_special=())
        except ValueError:
            return None
        ids = np.empty(len(found), self._ids.dtype)
        for start in range(0, len(found), BLOCK):
            ids[start : start + BLOCK] = self._ids[found[start : start + BLOCK]]
        return ids


def _normalizes(stated: dict[str, Any] | None) -> bool:
    """Whether it brings text to NFC, which leaves a text that is NFC as it is; nothing else is read here."""
    if stated is not None and stated["type"] != "NFC":
        raise Inexpressible(f"it normalizes text ({stated['type']})")
    return stated is not None


def _pattern(stated: dict[str, Any] | None) -> str:
    """One expression for all cuts, on whose parts both engines agree."""
    patterns, keeps_rest = word_pattern.cuts(stated)
    parsed = [word_pattern.parse(pattern) for pattern in patterns]
    for alternatives in parsed:
        _check_classes(alternatives)
    pattern, earlier = parsed[-1], parsed[:-1]
    rest = "".join(word_pattern.covering(pattern))
    if keeps_rest and (not rest or _found_by_tiktoken(f"[^{rest}]", _characters())):
        pattern = word_pattern.with_rest(pattern)
    for first in reversed(earlier):
        if first[0][-1].repeat.startswith("{"):
            _check_groups(first, pattern)
        pattern = word_pattern.cut_before(first, pattern)
    return word_pattern.written(pattern)


def _check_classes(alternatives: Alternatives) -> None:
    found = {f"(?i:{one.atom})" if one.ignoring_case else one.atom for one in word_pattern.atoms(alternatives)}
    for one in sorted(one for one in found if len(one) > 1):
        if _found_by_tiktoken(one, _characters()) != _found_by_tokenizers(f"(?:{one})+", _characters()):
            raise Inexpressible(f"tiktoken and tokenizers do not mean the same characters by {one!r}")
    for run in word_pattern.sequences(alternatives):
        if _found_by_tokenizers(f"(?i:{run})", _folding()):
            raise Inexpressible(f"one character may stand for {run!r}, which tiktoken does not know")


def _check_groups(first: Alternatives, then: Alternatives) -> None:
    """Runs of a class D, cut every n characters, must stay whole in the next cut."""
    item = first[0][-1]
    members = _found_by_tiktoken(item.atom, _characters())
    for atom in {one.atom for one in word_pattern.atoms(then)}:
        if _found_by_tokenizers(f"(?:{atom})+", members) not in ("", members):
            raise Inexpressible(f"it cuts at {item} and then at {atom}, which is a part of that")
    splitter = pre_tokenizers.Split(Regex(word_pattern.written(then)), "isolated")
    for count in range(1, int(item.repeat[3:-1]) + 1):
        if len(splitter.pre_tokenize_str(members[:1] * count)) > 1:
            raise Inexpressible(f"it cuts what {item} has found once more")


def _found_by_tiktoken(pattern: str, text: str) -> str:
    """What an expression matches: tiktoken passes over the rest."""
    single = {bytes([byte]): byte for byte in range(256)}
    try:
        encoding = tiktoken.Encoding("of bytes", pat_str=pattern, mergeable_ranks=single, special_tokens={})
    except ValueError as error:
        raise Inexpressible(f"tiktoken does not read {pattern!r}: {error}") from error
    return bytes(encoding.encode_ordinary(text)).decode()


def _found_by_tokenizers(pattern: str, text: str) -> str:
    try:
        splitter = pre_tokenizers.Split(Regex(pattern), "removed", invert=True)
    except Exception as error:  # the library raises nothing narrower
        raise Inexpressible(f"tokenizers does not read {pattern!r}: {error}") from error
    return "".join(piece for piece, _ in splitter.pre_tokenize_str(text))


@cache
def _characters() -> str:
    """Every character of the first planes' scripts, and of the rest one in a block of sixteen or more."""
    numbers = [*range(0x3400), *range(0x3400, 0xD800, 64), *range(0xE000, 0x10000, 16), *range(0x10000, 0x110000, 64)]
    return "".join(map(chr, sorted({*numbers, *range(0x10000, 0x20000, 8)})))


@cache
def _folding() -> str:
    """Characters that are several where case is ignored."""
    numbers = (*range(0x600), *range(0x1E00, 0x2000), *range(0xFB00, 0xFB18))
    return "".join(chr(number) for number in numbers if len(chr(number).casefold()) > 1)
