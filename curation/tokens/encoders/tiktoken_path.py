r"""Encodes with tiktoken as a byte-level BPE tokenizer.json does with `tokenizers`: the same ids, faster.

tiktoken takes one regular expression for the cuts into words, and ranks for the merges. So it can replace tokenizers
that cut in one of the ways of `KNOWN` and whose merges each make a token of their own; all others are left to
`tokenizers`, which only costs time. Tests prove the ids equal for every way in `KNOWN`; `tokenizer_json` compares them
on a sample before the first text, and again while encoding.

`tokenizers` also encodes each document with a token that is taken out of the text first, with text that the normalizer
would change, or on which tiktoken gives up (a million spaces in a row).

Source: Sennrich et al. 2016, "Neural Machine Translation of Rare Words with Subword Units" (arXiv:1508.07909).
"""

import re
import unicodedata
from collections.abc import Collection, Mapping
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import tiktoken

from curation.core.token_names import BYTES, to_bytes
from curation.tokens.encoders import pre_tokens

Stated = Mapping[str, Any]  # of a parsed tokenizer.json
Ids = npt.NDArray[np.unsignedinteger[Any]]  # uint16 or uint32
# tiktoken looks for special tokens, quickly only if it has one; this one never occurs.
NEVER = {"\0never\0": 2**31}
BLOCK = 1 << 20  # tokens looked up at a time

GPT2, GPT2_EACH, GPT2_THREE = (
    pre_tokens.regular_expression(pre_tokens.GPT2, split_digits) for split_digits in ("none", "each", "three")
)
# Digits are cut first, so spaces before a digit end a piece and stay together.
DIGITS_THEN_GPT2 = r"\p{N}|'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?![^\s\p{N}])|\s+"
_ENDINGS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_SPACES = r"|\s*[\r\n]+|\s+(?!\S)|\s+"
CL100K = _ENDINGS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*" + _SPACES
QWEN = CL100K.replace(r"\p{N}{1,3}", r"\p{N}")
_LOWER = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
_UPPER = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
_SIGNS = r"| ?[^\s\p{L}\p{N}]+[\r\n/]*" + _SPACES
O200K = rf"{_LOWER}{_ENDINGS}?|{_UPPER}{_ENDINGS}?|\p{{N}}{{1,3}}{_SIGNS}"
TEKKEN = rf"{_LOWER}|{_UPPER}|\p{{N}}{_SIGNS}"
# The expressions by which a tokenizer cuts, one after the other -> the one for tiktoken. Each of these matches every
# character, so it makes no difference whether a tokenizer keeps or removes the text between its matches.
KNOWN: dict[tuple[str, ...], str] = {
    **{(pattern,): pattern for pattern in (GPT2, GPT2_EACH, GPT2_THREE, CL100K, QWEN, O200K, TEKKEN)},
    (r"\p{N}", GPT2): DIGITS_THEN_GPT2,
}


class Inexpressible(Exception):  # noqa: N818 - a finding, not a fault
    """Why tiktoken cannot replace `tokenizers` for a tokenizer."""


class TiktokenPath:
    """Encodes for a parsed tokenizer.json. Raises Inexpressible if tiktoken cannot."""

    def __init__(self, stated: Stated) -> None:
        self._normalizes = _normalizes(stated.get("normalizer"))
        cut_first = [token["content"] for token in stated.get("added_tokens", ()) if not token["special"]]
        if self._normalizes and not all(unicodedata.is_normalized("NFC", name) for name in cut_first):
            raise Inexpressible("it normalizes the tokens that it takes out of the text")
        self._cut_first = "|".join(map(re.escape, cut_first))
        pattern = _pattern(stated.get("pre_tokenizer") or {})
        ranks, ids = ranks_of(stated["model"], {token["content"] for token in stated.get("added_tokens", ())})
        self._ids = ids.astype(np.uint16) if ids.max() < 1 << 16 else ids
        self._encoding = tiktoken.Encoding(
            "of a tokenizer.json", pat_str=pattern, mergeable_ranks=ranks, special_tokens=NEVER
        )

    def able(self, texts: pa.Array) -> npt.NDArray[np.bool_]:
        """bool[N]: whether nothing happens to a text before it is cut into words."""
        able = np.ones(len(texts), np.bool_)
        if self._cut_first:
            holds = pc.fill_null(pc.match_substring_regex(texts, self._cut_first), False)
            able &= ~holds.to_numpy(zero_copy_only=False)
        if self._normalizes:
            able &= [unicodedata.is_normalized("NFC", text.as_py() or "") for text in texts]
        return able

    def encode(self, text: str) -> Ids | None:
        """uint16 or uint32 ids, or None if tiktoken gives up. Takes up to 5 bytes of memory for each byte of text."""
        try:
            ranks = self._encoding.encode_to_numpy(text, disallowed_special=())
        except ValueError:
            return None
        ids = np.empty(len(ranks), self._ids.dtype)
        for start in range(0, len(ranks), BLOCK):
            ids[start : start + BLOCK] = self._ids[ranks[start : start + BLOCK]]
        return ids


def ranks_of(model: Stated, added: Collection[str] = ()) -> tuple[dict[bytes, int], npt.NDArray[np.uint32]]:
    """Rank by bytes (single bytes first, then in the order of the merges) and id by rank, of a tokenizer.json's model;
    `added`: names of tokens that are taken out of the text first, which a vocabulary may list too.

    A list of merges may hold every pair that makes a token, each token's pairs together. Raises Inexpressible.
    """
    if model.get("type", "BPE") != "BPE" or "merges" not in model:  # older files do not say
        raise Inexpressible(f"its model is {model.get('type', 'another one')}, not BPE")
    # With every byte in the vocabulary nothing is unknown, so the options for unknown text have no effect.
    for option in ("dropout", "continuing_subword_prefix", "end_of_word_suffix"):
        if model.get(option):
            raise Inexpressible(f"its model has the option {option}")
    vocabulary: dict[str, int] = model["vocab"]
    # Older files write a pair as one text with a space, which no name of a byte-level token has.
    joined = (pair.replace(" ", "") if isinstance(pair, str) else "".join(pair) for pair in model["merges"])
    names = [*BYTES, *(name for name, _ in groupby(joined))]
    if len(set(names)) < len(names):
        raise Inexpressible("its merges make a token twice")
    if missing := [name for name in names if name not in vocabulary]:
        raise Inexpressible(f"its vocabulary lacks {missing[0]!r}, which is a byte or made by a merge")
    whole = len(vocabulary.keys() - added) - len({*names} - {*added})
    if model.get("ignore_merges") and whole:
        raise Inexpressible(f"it has whole words that no merge makes ({whole} tokens)")
    written = [to_bytes(name) for name in names]
    ids = np.array([vocabulary[name] for name in names], np.uint32)
    return {value: rank for rank, value in enumerate(written) if value is not None}, ids


def _normalizes(stated: Stated | None) -> bool:
    """Whether text is brought to NFC. Raises Inexpressible for any other normalizer."""
    if stated is not None and stated["type"] != "NFC":
        raise Inexpressible(f"it normalizes text ({stated['type']})")
    return stated is not None


def _pattern(stated: Stated) -> str:
    """The expression that tiktoken cuts by, for a pre-tokenizer that ends in `ByteLevel`."""
    *before, last = stated["pretokenizers"] if stated.get("type") == "Sequence" else [stated]
    if last.get("type") != "ByteLevel":
        raise Inexpressible("it does not work on bytes (no ByteLevel at the end of its pre-tokenizer)")
    if last.get("add_prefix_space", True):
        raise Inexpressible("it puts a space before the text (add_prefix_space)")
    cuts = (*map(_cut, before), *([GPT2] if last.get("use_regex", True) else []))
    if cuts not in KNOWN:
        raise Inexpressible(f"it cuts text by {' and then by '.join(map(repr, cuts)) or 'nothing'}, not in a known way")
    return KNOWN[cuts]


def _cut(step: Stated) -> str:
    """The expression of one cut."""
    if step["type"] == "Digits" and step.get("individual_digits"):
        return r"\p{N}"
    ways = ("Isolated", False), ("Removed", True)
    if step["type"] != "Split" or (step["behavior"], step.get("invert", False)) not in ways:
        raise Inexpressible(f"its pre-tokenizer has a {step['type']} step that tiktoken cannot follow")
    return str(step["pattern"].get("Regex"))
