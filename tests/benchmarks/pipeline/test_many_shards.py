"""A run of many shards is made of links, resumed and asked; here with few."""

import pytest

from benchmarks.pipeline.many_shards import TARGETS, measure


@pytest.mark.soak
def test_a_small_run() -> None:
    figures = measure(20, 3)
    assert figures.keys() == TARGETS.keys()
    assert all(value > 0 for value in figures.values())
