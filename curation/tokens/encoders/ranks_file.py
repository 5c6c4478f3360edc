"""Reads a file of tiktoken: a line per token, its bytes in Base64 and its rank, as in Llama 3's `tokenizer.model`.

It becomes a tokenizer.json with the same ids. Such a file says neither how text is cut into words nor which tokens are
special: `named_patterns` knows it by name. tiktoken merges the two neighbours whose bytes together have the lowest rank
and takes a word that is a token whole, so the merges are all pairs of tokens that make a token, in the order of ranks.

Source: tiktoken 0.14, `tiktoken/load.py` and `src/lib.rs`.
"""

import base64
import re

from curation.core.errors import InputError
from curation.core.token_names import BYTES
from curation.tokens.encoders.named_patterns import PATTERNS, NamedPattern, Stated, byte_level, with_special
from curation.tokens.encoders.special_tokens import END_OF_TEXT

MOST_RANK = 1 << 24
MOST_LENGTH = 1000  # bytes of a token; each place in it is tried
_LINE = re.compile(rb"[A-Za-z0-9+/]+=* [0-9]{1,9}\s*")
_NAMES = {byte: name for name, byte in BYTES.items()}


def is_ranks(content: bytes) -> bool:
    """Whether the first line is one of such a file."""
    return _LINE.fullmatch(content[: content.find(b"\n") + 1] or content[:4096]) is not None


def pattern_by_name(uri: str) -> str:
    """The pattern that a file's name says. Raises InputError for any other name."""
    name = uri.rpartition("/")[2].removesuffix(".tiktoken")
    if name not in PATTERNS:
        raise InputError(
            f"{uri} does not say how it cuts text into words; write `pattern: NAME` in `tokenize`, one of "
            f"{', '.join(PATTERNS)}"
        )
    return name


def stated_by_ranks(content: bytes, uri: str, own: NamedPattern) -> Stated:
    """The tokenizer.json. Raises InputError for a line that is none, and for a byte without a token."""
    ranks = _ranks(content, uri)
    absent = [byte for byte in range(256) if bytes([byte]) not in ranks]
    if absent:
        raise InputError(f"{uri} has no token for {len(absent)} of the 256 bytes, so text would be lost; copy it again")
    spelt = {token: "".join(map(_NAMES.__getitem__, token)) for token in ranks}
    pairs = [
        [spelt[token[:at]], spelt[token[at:]]]
        for token in ranks
        for at in range(1, len(token))
        if token[:at] in spelt and token[at:] in spelt
    ]
    stated = byte_level(own, {spelt[token]: rank for token, rank in ranks.items()}, pairs, whole_words=True)
    if len(ranks) == own.tokens:
        return with_special(stated, own.special, own.begin)
    return with_special(stated, {END_OF_TEXT: max(ranks.values()) + 1}, None)


def _ranks(content: bytes, uri: str) -> dict[bytes, int]:
    """Rank by bytes, ascending."""
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(content.splitlines(), 1):
        if not line.strip():
            continue
        token = base64.b64decode(line.split()[0]) if _LINE.fullmatch(line) and not _odd(line) else b""
        if not 0 < len(token) <= MOST_LENGTH or token in ranks:
            raise InputError(f"{uri}, line {number:,}: no token in Base64 and its rank, or one for the second time")
        ranks[token] = int(line.split()[1])
    found = sorted(ranks.items(), key=lambda item: item[1])
    if len({*ranks.values()}) < len(ranks) or found[-1][1] >= MOST_RANK:
        raise InputError(f"{uri} gives a rank twice, or one of 2^24 or more; copy it again")
    return dict(found)


def _odd(line: bytes) -> bool:
    """Whether Base64 of this length cannot be decoded."""
    return len(line.split()[0]) % 4 != 0
