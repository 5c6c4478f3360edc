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
