"""The figures of an inspected tokenizer, computed from counts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
import numpy.typing as npt

from curation.account.tokenizers.token_groups import GroupSums

LISTED = 20  # tokens given as examples
RANKS = 200  # points of the rank-frequency curve
PARAMETER_BYTES = 2  # in bfloat16


@dataclass(frozen=True)
class TextGroup:
    """The texts of a language, a source or a programming language, or all. `relative_tokens` is the number of tokens
    divided by that of the reference tokenizer."""

    kind: str
    name: str
    documents: int
    bytes: int
    characters: int
    words: int
    tokens: int
    tokens_per_word: float
    bytes_per_token: float
    characters_per_token: float
    relative_tokens: float | None = None


@dataclass(frozen=True)
class Token:
    """`text` shows bytes that form no character as \\xNN; `count`: occurrences in the sample."""

    id: int
    text: str
    bytes: int
    count: int


@dataclass(frozen=True)
class TokenKind:
    """The number of tokens of one kind, their share of the tokens that are not special, and the longest ones."""

    tokens: int
    share: float
    examples: tuple[Token, ...]


@dataclass(frozen=True)
class Embedding:
    """Size of the embedding table for a model's width; untied: with a separate output layer. Bytes in bfloat16."""

    width: int
    parameters: int
    untied_parameters: int
    bytes: int
    untied_bytes: int


@dataclass(frozen=True)
class Inspection:
    """A tokenizer on a sample. Each of the `unused` tokens is `unreachable`, `partial` or a `glitch` candidate.
    `unknown` is the share of the sample's tokens for text that the tokenizer cannot spell."""

    tokenizer: str
    vocabulary: int  # ids, special tokens included
    special: int
    unknown: float
    total: TextGroup
    groups: tuple[TextGroup, ...]
    unused: TokenKind
    unreachable: TokenKind
    partial: TokenKind
    glitch: TokenKind
    longest: tuple[Token, ...]
    longest_used: tuple[Token, ...]
    top: tuple[Token, ...]
    top_shares: dict[str, float]  # number n -> share of the n most frequent tokens
    embeddings: tuple[Embedding, ...]
    against: str | None = None
    ranks: tuple[tuple[int, int], ...] = field(default=(), repr=False)  # (rank, occurrences); ranks in equal ratios

    def group(self, kind: str, name: str) -> TextGroup:
        return next(group for group in (self.total, *self.groups) if (group.kind, group.name) == (kind, name))


def group_of(kind: str, name: str, facts: GroupSums, tokens: int, base: int | None) -> TextGroup:
    """`base`: tokens of the reference tokenizer. A ratio with denominator 0 is 0."""
    return TextGroup(
        kind=kind,
        name=name,
        **vars(facts),
        tokens=tokens,
        tokens_per_word=tokens / facts.words if facts.words else 0.0,
        bytes_per_token=facts.bytes / tokens if tokens else 0.0,
        characters_per_token=facts.characters / tokens if tokens else 0.0,
        relative_tokens=tokens / base if base else None,
    )


def token_of(number: int, tokens: Sequence[bytes | str], counts: npt.NDArray[np.int64]) -> Token:
    token = tokens[number]
    content = token.encode() if isinstance(token, str) else token
    return Token(int(number), content.decode(errors="backslashreplace"), len(content), int(counts[number]))


def listed(ids: Sequence[int], of: int, tokens: Sequence[bytes | str], counts: npt.NDArray[np.int64]) -> TokenKind:
    """`of`: the number of tokens that are not special."""
    return TokenKind(len(ids), len(ids) / max(of, 1), named(ids, tokens, counts))


def named(ids: Iterable[int], tokens: Sequence[bytes | str], counts: npt.NDArray[np.int64]) -> tuple[Token, ...]:
    return tuple(token_of(number, tokens, counts) for number in islice(ids, LISTED))


def embedding_of(vocabulary: int, width: int) -> Embedding:
    size = vocabulary * width
    return Embedding(width, size, 2 * size, size * PARAMETER_BYTES, 2 * size * PARAMETER_BYTES)


def top_shares(descending: npt.NDArray[np.int64], of: Iterable[int]) -> dict[str, float]:
    """For each n in `of` below the number of tokens: the share of the n most frequent in all occurrences."""
    total = max(int(descending.sum()), 1)
    return {str(number): float(descending[:number].sum() / total) for number in of if number < len(descending)}


def rank_curve(descending: npt.NDArray[np.int64]) -> tuple[tuple[int, int], ...]:
    """(rank, occurrences) at up to RANKS ranks in equal ratios, for the tokens that occur."""
    used = descending[descending > 0]
    if not len(used):
        return ()
    ranks = np.unique(np.geomspace(1, len(used), RANKS).round().astype(np.int64))
    return tuple((int(rank), int(used[rank - 1])) for rank in ranks)
