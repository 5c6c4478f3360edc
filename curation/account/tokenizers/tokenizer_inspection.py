"""Inspects tokenizers on a corpus: its length in tokens by language, source and code, and unused vocabulary.

Words are runs without whitespace; in scripts without spaces (Han, Kana, Thai, Lao, Burmese, Khmer) each character is a
word. `tokens_per_word` is the fertility. End-of-text tokens do not count, and special tokens are not part of the
vocabulary's shares. Some tokens that the sample never uses are unreachable or partial (see
`curation/tokens/encoders/reachable.py`). The others may occur in a text although a model trained on this corpus never
saw them: candidates for glitch tokens.

Source: Rust et al. 2021, "How Good is Your Tokenizer?" (arXiv:2012.15613), for fertility; Land and Bartolo 2024,
"Fishing for Magikarp" (arXiv:2405.05417), for glitch tokens.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.account.tokenizers.token_groups import ALL, CODE, SOURCE, GroupSums, measure, names_by_kind, sums_by_group
from curation.core.by_language import LANGUAGE
from curation.core.errors import InputError
from curation.tokens.encoders.load_tokenizer import PlainTokenizer
from curation.tokens.encoders.reachable import partial_tokens, unreachable_tokens

LISTED = 20  # tokens given as examples
RANKS = 200  # points of the rank-frequency curve
TOP_SHARES = (10, 100, 1_000, 10_000)  # of the most frequent tokens
PARAMETER_BYTES = 2  # in bfloat16
Ints = npt.NDArray[np.int64]
GroupKey = tuple[str, str]  # kind and name


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


def inspect(
    tokenizers: Mapping[str, PlainTokenizer],
    sample: Iterable[tuple[str, pa.Table]],
    *,
    against: str | None = None,
    widths: Sequence[int] = (),
) -> list[Inspection]:
    """Inspects tokenizers, by name, on a sample from `kept_text.sampled`; the results are in the same order.

    `against` names the reference tokenizer, which has no result of its own. `widths` are model widths for the sizes of
    embedding tables. Raises InputError for a sample without text.
    """
    measured: dict[GroupKey, GroupSums] = {}
    occurrences = {name: np.zeros(tokenizer.size, np.int64) for name, tokenizer in tokenizers.items()}
    lengths: dict[str, Counter[GroupKey]] = {name: Counter() for name in tokenizers}
    for source, table in sample:
        kinds = names_by_kind(source, table)
        measure(table, kinds, measured)
        for name, tokenizer in tokenizers.items():
            sizes = _count(tokenizer, table["text"].combine_chunks(), occurrences[name])
            for group, (_, tokens) in sums_by_group(kinds, {"tokens": sizes}).items():
                lengths[name][group] += tokens
    if not measured:
        raise InputError("the sample has no text; use a larger --sample-mb, or another --stage")
    base = lengths[against] if against is not None else Counter()
    inspections = []
    for name, tokenizer in tokenizers.items():
        if name != against:
            groups = [_group_of(*key, facts, lengths[name][key], base.get(key)) for key, facts in measured.items()]
            inspections.append(_inspected(name, tokenizer, occurrences[name], groups, against, widths))
    return inspections


def _count(tokenizer: PlainTokenizer, texts: pa.Array, occurrences: Ints) -> pa.Array:
    """int64[N]: tokens of each text. Adds to the occurrences of each id."""
    found = tokenizer.text_ids(texts)
    occurrences += np.bincount(np.concatenate([np.empty(0, np.uint32), *found]), minlength=len(occurrences))
    return pa.array([len(ids) for ids in found], pa.int64())


def _inspected(
    name: str,
    tokenizer: PlainTokenizer,
    counts: Ints,
    groups: Sequence[TextGroup],
    against: str | None,
    widths: Sequence[int],
) -> Inspection:
    tokens = tokenizer.tokens()
    size = tokenizer.size
    ids = np.array([number for number, token in enumerate(tokens) if isinstance(token, bytes)], np.int64)
    by_length = ids[np.argsort([-len(tokens[number]) for number in ids], kind="stable")]
    by_count = ids[np.argsort(-counts[ids], kind="stable")]
    unused = [int(number) for number in by_length if not counts[number]]
    partial = partial_tokens(tokens, unused)
    of_characters = set(unused) - set(partial)
    unreachable = set(unreachable_tokens(tokenizer, tokens, sorted(of_characters)))
    kinds = {
        "unused": unused,
        "unreachable": [number for number in unused if number in unreachable],
        "partial": partial,
        "glitch": [number for number in unused if number in of_characters and number not in unreachable],
    }
    by_size = sorted(groups, key=lambda group: (-group.bytes, group.name))
    return Inspection(
        tokenizer=name,
        vocabulary=size,
        special=sum(isinstance(token, str) and token != "" for token in tokens),
        # Text becomes no special token but the unknown one.
        unknown=float((counts.sum() - counts[ids].sum()) / max(counts.sum(), 1)),
        total=next(group for group in groups if group.kind == ALL),
        groups=tuple(group for kind in (LANGUAGE, CODE, SOURCE) for group in by_size if group.kind == kind),
        **{name: _listed(own, len(ids), tokens, counts) for name, own in kinds.items()},
        longest=_named(by_length, tokens, counts),
        longest_used=_named(by_length[counts[by_length] > 0], tokens, counts),
        top=_named(by_count, tokens, counts),
        top_shares=_top_shares(counts[by_count]),
        embeddings=tuple(embedding_of(size, width) for width in widths),
        against=against,
        ranks=_rank_curve(counts[by_count]),
    )


def _group_of(kind: str, name: str, facts: GroupSums, tokens: int, base: int | None) -> TextGroup:
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


def _token_of(number: int, tokens: Sequence[bytes | str], counts: Ints) -> Token:
    token = tokens[number]
    content = token.encode() if isinstance(token, str) else token
    return Token(int(number), content.decode(errors="backslashreplace"), len(content), int(counts[number]))


def _listed(ids: Sequence[int], of: int, tokens: Sequence[bytes | str], counts: Ints) -> TokenKind:
    """`of`: the number of tokens that are not special."""
    return TokenKind(len(ids), len(ids) / max(of, 1), _named(ids, tokens, counts))


def _named(ids: Iterable[int], tokens: Sequence[bytes | str], counts: Ints) -> tuple[Token, ...]:
    return tuple(_token_of(number, tokens, counts) for number in islice(ids, LISTED))


def embedding_of(vocabulary: int, width: int) -> Embedding:
    size = vocabulary * width
    return Embedding(width, size, 2 * size, size * PARAMETER_BYTES, 2 * size * PARAMETER_BYTES)


def _top_shares(descending: Ints) -> dict[str, float]:
    """For each of TOP_SHARES below the number of tokens: the share of the n most frequent in all occurrences."""
    total = max(int(descending.sum()), 1)
    return {str(n): float(descending[:n].sum() / total) for n in TOP_SHARES if n < len(descending)}


def _rank_curve(descending: Ints) -> tuple[tuple[int, int], ...]:
    """(rank, occurrences) at up to RANKS ranks in equal ratios, for the tokens that occur."""
    used = descending[descending > 0]
    if not len(used):
        return ()
    ranks = np.unique(np.geomspace(1, len(used), RANKS).round().astype(np.int64))
    return tuple((int(rank), int(used[rank - 1])) for rank in ranks)
