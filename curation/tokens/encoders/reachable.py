"""Finds tokens that a tokenizer never produces.

A token is unreachable if encoding its own text does not give it, alone or after any of PREFIXES: the rules that cut and
merge text never arrive at it. A token whose bytes are not whole characters cannot be tried this way; it is partial.

Source: Land and Bartolo 2024, "Fishing for Magikarp: Automatically Detecting Under-trained Tokens in Large Language
Models" (arXiv:2405.05417), which defines both kinds and also tries a token by encoding its own text.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa

from curation.tokens.encoders.load_tokenizer import PlainTokenizer

# Tokens that only continue a word need something before them that they do not merge with.
PREFIXES = ("", "a", "q", "Z", "1", ".", " ", "\n", "é", "的")


def partial_tokens(tokens: Sequence[bytes | str], ids: Iterable[int]) -> list[int]:
    """The ids whose bytes are not UTF-8 by themselves."""
    return [number for number in ids if not _is_text(tokens[number])]


def unreachable_tokens(tokenizer: PlainTokenizer, tokens: Sequence[bytes | str], ids: Iterable[int]) -> list[int]:
    """The ids that no text made of a prefix and the token's own text yields. None of `ids` may be partial."""
    left = [number for number in ids if tokens[number]]
    for prefix in PREFIXES:
        texts = pa.array([prefix + _text(tokens[number]) for number in left], pa.large_string())
        encoded = tokenizer.text_ids(texts)
        values = np.concatenate([np.empty(0, np.uint32), *encoded])
        owners = np.repeat(np.array(left, np.int64), [len(ids) for ids in encoded])
        reached = set(owners[owners == values].tolist())
        left = [number for number in left if number not in reached]
    return left


def _is_text(token: bytes | str) -> bool:
    try:
        _text(token)
    except UnicodeDecodeError:
        return False
    return True


def _text(token: bytes | str) -> str:
    return token if isinstance(token, str) else token.decode()
