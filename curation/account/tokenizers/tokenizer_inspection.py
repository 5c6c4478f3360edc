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

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.account.tokenizers import figures
from curation.account.tokenizers.figures import Inspection, TextGroup, group_of, listed, named
from curation.account.tokenizers.token_groups import ALL, CODE, SOURCE, GroupSums, measure, names_by_kind, sums_by_group
from curation.core.by_language import LANGUAGE
from curation.core.errors import InputError
from curation.tokens.encoders.load_tokenizer import LoadedTokenizer
from curation.tokens.encoders.reachable import partial_tokens, unreachable_tokens

TOP_SHARES = (10, 100, 1_000, 10_000)  # of the most frequent tokens
Ints = npt.NDArray[np.int64]
GroupKey = tuple[str, str]  # kind and name


def inspect(
    tokenizers: Mapping[str, LoadedTokenizer],
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
    occurrences = {name: np.zeros(tokenizer.vocabulary.size, np.int64) for name, tokenizer in tokenizers.items()}
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
            groups = [group_of(*key, facts, lengths[name][key], base.get(key)) for key, facts in measured.items()]
            inspections.append(_inspected(name, tokenizer, occurrences[name], groups, against, widths))
    return inspections


def _count(tokenizer: LoadedTokenizer, texts: pa.Array, occurrences: Ints) -> pa.Array:
    """int64[N]: tokens of each text. Adds to the occurrences of each id."""
    tokens = tokenizer.encode(texts)
    occurrences += np.bincount(tokens.values.to_numpy(), minlength=len(occurrences))
    occurrences[tokenizer.vocabulary.end_of_text] -= len(texts)  # one per text
    return pa.array(np.diff(tokens.offsets.to_numpy()) - 1)


def _inspected(
    name: str,
    tokenizer: LoadedTokenizer,
    counts: Ints,
    groups: Sequence[TextGroup],
    against: str | None,
    widths: Sequence[int],
) -> Inspection:
    tokens = tokenizer.tokens()
    size = tokenizer.vocabulary.size
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
        # Text becomes no special token but the unknown one and end-of-text, and the latter is not counted.
        unknown=float((counts.sum() - counts[ids].sum()) / max(counts.sum(), 1)),
        total=next(group for group in groups if group.kind == ALL),
        groups=tuple(group for kind in (LANGUAGE, CODE, SOURCE) for group in by_size if group.kind == kind),
        **{name: listed(own, len(ids), tokens, counts) for name, own in kinds.items()},
        longest=named(by_length, tokens, counts),
        longest_used=named(by_length[counts[by_length] > 0], tokens, counts),
        top=named(by_count, tokens, counts),
        top_shares=figures.top_shares(counts[by_count], TOP_SHARES),
        embeddings=tuple(figures.embedding_of(size, width) for width in widths),
        against=against,
        ranks=figures.rank_curve(counts[by_count]),
    )
