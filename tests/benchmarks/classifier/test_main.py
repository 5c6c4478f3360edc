"""The benchmark of classifiers: two halves that share no text."""

import pytest

from benchmarks.classifier.halves import halves
from tests.support import needs_shared_data


@needs_shared_data
@pytest.mark.soak
def test_the_halves_share_no_text() -> None:
    first, second = halves("main")
    assert not set(first.texts.to_pylist()) & set(second.texts.to_pylist())
    assert all(800 < half.prose.sum() < len(half.prose) - 800 for half in (first, second))
<<<<<<< HEAD


@needs_shared_data
@pytest.mark.soak
def test_prose_is_told_from_raw_pages_on_the_other_half() -> None:
    figures = separation("visible")
    assert all(figures[model]["all"]["auc"] >= 0.95 for model in ("fasttext", "logistic", "perplexity"))
    assert figures["both"]["all"]["auc"] >= 0.97
||||||| 59141991


@needs_shared_data
@pytest.mark.slow
def test_prose_is_told_from_raw_pages_on_the_other_half() -> None:
    figures = separation("visible")
    assert all(figures[model]["all"]["auc"] >= 0.95 for model in ("fasttext", "logistic", "perplexity"))
    assert figures["both"]["all"]["auc"] >= 0.97
=======
>>>>>>> 13acf56d071938a54b162c3f44b8fb421a7f5b5a
