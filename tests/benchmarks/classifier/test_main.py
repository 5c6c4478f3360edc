"""The benchmark of classifiers: two halves that share no text, and how well prose is told from raw pages."""

import pytest

from benchmarks.classifier.halves import halves
from benchmarks.classifier.separation import measure as separation
from tests.support import needs_shared_data


@needs_shared_data
@pytest.mark.slow
def test_the_halves_share_no_text() -> None:
    first, second = halves("main")
    assert not set(first.texts.to_pylist()) & set(second.texts.to_pylist())
    assert all(800 < half.prose.sum() < len(half.prose) - 800 for half in (first, second))


@needs_shared_data
@pytest.mark.slow
def test_prose_is_told_from_raw_pages_on_the_other_half() -> None:
    figures = separation("visible")
    assert all(figures[f"{model}, all"]["auc"] >= 0.95 for model in ("fasttext", "logistic", "perplexity"))
