"""Adjusted counts by hand, pruning at its threshold, and buckets that give what the whole table gives."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from curation.models.ngram.adjusted import AdjustedCounts, adjust, histogram, join
from curation.models.ngram.counts import Rows, partition
from tests.curation.models.ngram.slow_model import Gram, corpora, orders, slow_counts, table_of

TEXT = "a b c\na b c\nx b c\nb"  # "b" after a, x and <s>; "b c" after a and x


def grams(adjusted: AdjustedCounts, rows: Rows) -> list[Gram]:
    names = ["<unk>", "<s>", "</s>", *(word.decode() for word in adjusted.words.to_pylist())]
    return [tuple(names[word] for word in reversed(row)) for row in rows.tolist()]


def counts_of(adjusted: AdjustedCounts, order: int) -> dict[Gram, int]:
    kept = adjusted.grams[order - 1]
    return dict(zip(grams(adjusted, kept.rows), kept.counts.tolist(), strict=True))


def test_adjusted_counts_by_hand() -> None:
    adjusted = adjust(table_of([TEXT], 3), (0, 0, 0))
    assert counts_of(adjusted, 1) == {("a",): 1, ("b",): 3, ("c",): 1, ("x",): 1, ("</s>",): 2}
    assert counts_of(adjusted, 2) == {
        ("<s>", "a"): 2,  # as often as it occurs: nothing stands before it
        ("<s>", "b"): 1,
        ("<s>", "x"): 1,
        ("a", "b"): 1,
        ("x", "b"): 1,
        ("b", "c"): 2,
        ("c", "</s>"): 1,
        ("b", "</s>"): 1,
    }
    assert counts_of(adjusted, 3)["b", "c", "</s>"] == 3
    assert ("<s>", "<s>", "a") not in counts_of(adjusted, 3)
    assert adjusted.histograms.tolist() == [[0, 3, 1, 1, 0], [0, 6, 2, 0, 0], [0, 3, 2, 1, 0]]


def test_ngrams_are_pruned_by_how_often_they_occur() -> None:
    adjusted = adjust(table_of([TEXT], 3), (0, 1, 2))
    assert counts_of(adjusted, 2) == {("<s>", "a"): 2, ("a", "b"): 1, ("b", "c"): 2, ("c", "</s>"): 1}
    assert counts_of(adjusted, 3) == {("b", "c", "</s>"): 3}
    lost = adjusted.grams[1]
    assert dict(zip(grams(adjusted, lost.contexts), lost.lost.tolist(), strict=True)) == {
        ("<s>",): 2,
        ("x",): 1,
        ("b",): 1,
    }
    assert adjusted.histograms.tolist() == adjust(table_of([TEXT], 3), (0, 0, 0)).histograms.tolist()


@given(corpora, orders)
def test_adjusted_counts_are_those_of_the_definition(texts: list[str], order: int) -> None:
    adjusted = adjust(table_of(texts, order), (0,) * order)
    longest = slow_counts(texts, order)
    for size in range(1, order):
        before: dict[Gram, set[str]] = {}
        occurrences: dict[Gram, int] = {}
        for gram, times in longest.items():
            end = gram[-size:]
            if "<s>" not in end[1:]:
                before.setdefault(end, set()).add(gram[-size - 1])
                occurrences[end] = occurrences.get(end, 0) + times
        expected = {end: occurrences[end] if end[0] == "<s>" else len(words) for end, words in before.items()}
        assert counts_of(adjusted, size) == expected
    assert counts_of(adjusted, order) == {gram: n for gram, n in longest.items() if "<s>" not in gram[1:]}


@given(corpora, orders, st.integers(1, 4), st.integers(0, 2))
def test_buckets_give_what_the_whole_table_gives(texts: list[str], order: int, buckets: int, least: int) -> None:
    table = table_of(texts, order)
    thresholds = (0, *[least] * (order - 1))
    whole = join([adjust(table, thresholds)])
    joined = join([adjust(part, thresholds) for part in partition(table, buckets)])
    assert joined.words.equals(whole.words)
    assert joined.histograms.tolist() == whole.histograms.tolist()
    for one, other in zip(joined.grams, whole.grams, strict=True):
        for name in ("rows", "counts", "contexts", "lost"):
            assert np.array_equal(getattr(one, name), getattr(other, name)), name


def test_a_histogram_counts_up_to_four() -> None:
    assert histogram(np.array([1, 1, 2, 4, 5, 900])).tolist() == [0, 2, 1, 0, 1]
