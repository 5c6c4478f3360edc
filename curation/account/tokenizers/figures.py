"""The figures of an inspected tokenizer, and how each is made from counts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
import numpy.typing as npt

from curation.account.tokenizers.token_groups import Measured

LISTED = 20  # tokens that are named
RANKS = 200  # points of the rank-frequency curve
PARAMETER_BYTES = 2  # in bfloat16


@dataclass(frozen=True)
class Group:
    """Texts of a language, a source, a programming language, or all. `relative_tokens`: its tokens by those of the
    tokenizer compared with, below 1 where they are fewer."""

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
    """`text`: what it stands for, with bytes that are no characters as \\xNN; `count`: occurrences in the sample."""

    id: int
    text: str
    bytes: int
    count: int


@dataclass(frozen=True)
class Listed:
    """How many tokens of a kind there are, their share of those that are not special, and the longest of them."""

    tokens: int
    share: float
    examples: tuple[Token, ...]


@dataclass(frozen=True)
class Embedding:
    """Parameters of the table for a model's width and, untied, with an output layer of its own; bytes in bfloat16."""

    width: int
    parameters: int
    untied_parameters: int
    bytes: int
    untied_bytes: int


@dataclass(frozen=True)
class Inspection:
    """A tokenizer on a sample. Of the `unused` tokens each is `unreachable`, `partial` or a `glitch` candidate.

    `unknown`: share of the sample's tokens that stand for text which the tokenizer cannot spell.
    """

    tokenizer: str
    vocabulary: int  # ids, special tokens included
    special: int
    unknown: float
    total: Group
    groups: tuple[Group, ...]
    unused: Listed
    unreachable: Listed
    partial: Listed
    glitch: Listed
    longest: tuple[Token, ...]
    longest_used: tuple[Token, ...]
    top: tuple[Token, ...]
    top_shares: dict[str, float]  # number of the most frequent tokens -> their share of all
    embeddings: tuple[Embedding, ...]
    against: str | None = None
    ranks: tuple[tuple[int, int], ...] = field(default=(), repr=False)  # (rank, occurrences), in equal ratios

    def group(self, kind: str, name: str) -> Group:
        return next(one for one in (self.total, *self.groups) if (one.kind, one.name) == (kind, name))


def group_of(kind: str, name: str, facts: Measured, tokens: int, base: int | None) -> Group:
    """`base`: tokens of the tokenizer compared with. A ratio by nothing is 0."""
    return Group(
        kind=kind,
        name=name,
        documents=facts.documents,
        bytes=facts.bytes,
        characters=facts.characters,
        words=facts.words,
        tokens=tokens,
        tokens_per_word=tokens / facts.words if facts.words else 0.0,
        bytes_per_token=facts.bytes / tokens if tokens else 0.0,
        characters_per_token=facts.characters / tokens if tokens else 0.0,
        relative_tokens=tokens / base if base else None,
    )


def token_of(number: int, tokens: Sequence[bytes | str], counts: npt.NDArray[np.int64]) -> Token:
    content = tokens[number]
    given = content.encode() if isinstance(content, str) else content
    return Token(int(number), given.decode(errors="backslashreplace"), len(given), int(counts[number]))


def listed(ids: Sequence[int], of: int, tokens: Sequence[bytes | str], counts: npt.NDArray[np.int64]) -> Listed:
    """`of`: how many tokens there are that are not special."""
    return Listed(len(ids), len(ids) / max(of, 1), named(ids, tokens, counts))


def named(ids: Iterable[int], tokens: Sequence[bytes | str], counts: npt.NDArray[np.int64]) -> tuple[Token, ...]:
    """The first LISTED of them."""
    return tuple(token_of(one, tokens, counts) for one in islice(ids, LISTED))


def embedding_of(vocabulary: int, width: int) -> Embedding:
    one = vocabulary * width
    return Embedding(width, one, 2 * one, one * PARAMETER_BYTES, 2 * one * PARAMETER_BYTES)


def top_shares(descending: npt.NDArray[np.int64], of: Iterable[int]) -> dict[str, float]:
    """Share of the most frequent tokens in all occurrences, for each number of them that there are."""
    whole = max(int(descending.sum()), 1)
    return {str(number): float(descending[:number].sum() / whole) for number in of if number < len(descending)}


def rank_curve(descending: npt.NDArray[np.int64]) -> tuple[tuple[int, int], ...]:
    """(rank, occurrences) of at most RANKS ranks in equal ratios, of the tokens that occur."""
    used = descending[descending > 0]
    if not len(used):
        return ()
    ranks = np.unique(np.geomspace(1, len(used), RANKS).round().astype(np.int64))
    return tuple((int(rank), int(used[rank - 1])) for rank in ranks)
