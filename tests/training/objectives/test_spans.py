"""Spans: by hand, T5's counts, and all ways to cut a text are as likely."""

from collections import Counter

import numpy as np
import pytest

from tests.training.objectives.rows import END, ids_of
from training.objectives.span_corruption import SpanCorruption
from training.objectives.spans import ReplacedSpans, corrupted, noise, sentinels
from training.objectives.text import Text

TEXT = Text(np.arange(10, 18), np.array([1, 1, 1, 2, 2, 2, 2, 2], np.int32))
NEW = np.array([90, 91, 92])


def test_spans_by_hand() -> None:
    # 10 11, nothing before 14, 14 15 16.
    spans = ReplacedSpans(TEXT, np.array([0, 2, 2]), np.array([2, 0, 3]), NEW)
    left = spans.left()
    assert left.tokens.tolist() == [90, 12, 13, 91, 92, 17]
    assert left.documents.tolist() == [1, 1, 2, 2, 2, 2]
    taken = spans.taken()
    assert taken.tokens.tolist() == [90, 10, 11, 91, 92, 14, 15, 16]
    assert taken.documents.tolist() == [1, 1, 1, 2, 2, 2, 2, 2]


def test_a_span_at_the_end() -> None:
    spans = ReplacedSpans(TEXT, np.array([6, 6]), np.array([2, 0]), NEW[:2])
    assert spans.left().tokens.tolist() == [10, 11, 12, 13, 14, 15, 90, 91]
    assert spans.taken().tokens.tolist() == [90, 16, 17, 91]


@pytest.mark.parametrize(
    ("tokens", "density", "mean", "counts"),
    [
        pytest.param(568, 0.15, 3, (85, 28), id="T5"),
        pytest.param(512, 0.15, 3, (77, 26), id="rounded up"),
        pytest.param(2, 0.15, 3, (1, 1), id="at least one token"),
        pytest.param(4, 0.9, 1, (3, 1), id="a token before each span"),
        pytest.param(8, 0.25, float("inf"), (2, 1), id="one span"),
    ],
)
def test_counts(tokens: int, density: float, mean: float, counts: tuple[int, int]) -> None:
    assert noise(tokens, density, mean) == counts


def test_all_cuts_are_as_likely() -> None:
    objective = SpanCorruption()
    ids = ids_of(objective, 100)
    rng = np.random.default_rng(0)
    text = Text(TEXT.tokens[:6], np.ones(6, np.int32))
    found = Counter(tuple(corrupted(text, 0.5, 1.5, ids, rng)[0].tokens.tolist()) for _ in range(4000))
    # Three tokens stay and three go, each in two parts: 2 * 2 ways.
    first, second = (ids.named[f"sentinel_{number}"] for number in (0, 1))
    assert set(found) == {
        (10, first, 12, 13, second, END),
        (10, first, 13, 14, second, END),
        (10, 11, first, 13, second, END),
        (10, 11, first, 14, second, END),
    }
    assert all(abs(count - 1000) < 3 * (4000 * 0.25 * 0.75) ** 0.5 for count in found.values())


def test_sentinels_are_named_as_in_t5() -> None:
    assert sentinels(2) == {"sentinel_0": ("<extra_id_0>",), "sentinel_1": ("<extra_id_1>",)}
