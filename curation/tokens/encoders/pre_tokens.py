"""Cuts text into the pieces within which tokens are learnt, and chooses the alphabet of a tokenizer.

A pattern's matches are pieces, and so is the text between two matches: nothing is lost, and spaces stay as they are.
GPT2 separates words, numbers and runs of symbols, each with the space before it. If digits are split, a number has no
space before it, and each digit, or each group of up to three from the left, is a piece.

Source: Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", for the pattern; Kudo and Richardson
2018, "SentencePiece" (arXiv:1808.06226), for the character coverage.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from tokenizers import Regex, normalizers, pre_tokenizers

from curation.core.errors import RecipeError

GPT2 = "gpt2"
DIGITS = {"none": r" ?\p{N}+", "each": r"\p{N}", "three": r"\p{N}{1,3}"}
FORMS = {
    "none": None,
    "nfc": normalizers.NFC,
    "nfd": normalizers.NFD,
    "nfkc": normalizers.NFKC,
    "nfkd": normalizers.NFKD,
}
_TRIAL = "I'd say: 3 cats\n\n\tsat,  été 数字!"
_BLOCK = 1 << 20  # characters counted at a time
_CODES = 0x110000


def regular_expression(pattern: str, split_digits: str) -> str:
    """The pattern for Oniguruma. Raises RecipeError for one that it cannot read, or that `split_digits` has no effect
    on."""
    if pattern == GPT2:
        return rf"'s|'t|'re|'ve|'m|'ll|'d| ?\p{{L}}+|{DIGITS[split_digits]}| ?[^\s\p{{L}}\p{{N}}]+|\s+(?!\S)|\s+"
    if split_digits != "none":
        raise RecipeError(r"split_digits has an effect only with pattern: gpt2; write \p{N}{1,3} into the pattern")
    if not pattern:
        raise RecipeError("pattern is empty; give gpt2, or a regular expression whose matches are the pieces")
    try:
        pieces = split(pattern).pre_tokenize_str(_TRIAL)
    except Exception as error:  # the library raises nothing narrower
        raise RecipeError(f"pattern: {pattern!r} is neither gpt2 nor a regular expression: {error}") from error
    if "".join(piece for piece, _ in pieces) != _TRIAL:
        raise RecipeError(f"pattern: {pattern!r} loses text; give one whose every match is a piece of the text")
    return pattern


def split(pattern: str, behavior: str = "isolated") -> Any:
    """The pre-tokenizer that cuts around the matches of a regular expression, or drops them ("removed")."""
    return pre_tokenizers.Split(Regex(pattern), behavior)


def in_sequence(steps: Sequence[Any]) -> Any:
    """One pre-tokenizer that applies several, one after the other."""
    return steps[0] if len(steps) == 1 else pre_tokenizers.Sequence(list(steps))


def normalizer(normalization: str, *, lowercase: bool) -> Any | None:
    """The step that texts go through first; None if they stay as they are."""
    form = FORMS[normalization]
    steps = [*([form()] if form else []), *([normalizers.Lowercase()] if lowercase else [])]
    return normalizers.Sequence(steps) if len(steps) > 1 else steps[0] if steps else None


def below(longest: int | None) -> int | None:
    """The trainer's limit for a longest token in characters: its tokens stay shorter than the limit."""
    return None if longest is None else longest + 1


def guard(names: Iterable[str], pattern: str) -> list[Any]:
    """A pre-tokenizer that cuts the names of special tokens after their first character, so that text which spells one
    out is never one piece; empty if the pattern cuts all names anyway."""
    cut = split(pattern)
    whole = [name for name in names if len(cut.pre_tokenize_str(name)) == 1 and len(name) > 1]
    if not whole:
        return []
    return [split("|".join(f"{_quoted(name[0])}(?={_quoted(name[1:])})" for name in whole))]


def _quoted(text: str) -> str:
    return "".join(char if char.isalnum() else rf"\x{{{ord(char):X}}}" for char in text)


def texts_of(arrays: Iterable[pa.Array]) -> Iterator[list[str]]:
    """The texts of each array, without nulls."""
    for array in arrays:
        yield array.drop_null().to_pylist()


def alphabet(arrays: Iterable[pa.Array], normalize: Any | None, coverage: float) -> list[str]:
    """The most frequent characters that together make up the fraction `coverage` of the normalized texts, in Unicode
    order. Among equally frequent ones, the first in Unicode are chosen."""
    counts = np.zeros(_CODES, np.int64)
    for texts in texts_of(arrays):
        normal = texts if normalize is None else [normalize.normalize_str(text) for text in texts]
        joined = "".join(normal)
        for start in range(0, len(joined), _BLOCK):
            codes = np.frombuffer(joined[start : start + _BLOCK].encode("utf-32-le"), np.uint32)
            counts += np.bincount(codes, minlength=_CODES)
    order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    before = np.cumsum(counts[order]) - counts[order]
    chosen = order[before < coverage * counts.sum()]
    return [chr(code) for code in np.sort(chosen)]


def outside(chars: Sequence[str]) -> str:
    """A regular expression for runs of characters that are not among `chars`, which are in Unicode order."""
    codes = np.array([ord(char) for char in chars])
    breaks = np.flatnonzero(np.diff(codes) > 1)
    firsts = codes[np.concatenate([[0], breaks + 1])]
    lasts = codes[np.concatenate([breaks, [-1]])]
    ranges = "".join(rf"\x{{{first:X}}}-\x{{{last:X}}}" for first, last in zip(firsts, lasts, strict=True))
    return f"[^{ranges}]+"


BYTE_NAMES = tuple(f"<0x{byte:02X}>" for byte in range(256))
