"""The pages of all shapes: their size, and that an extractor with its default limits takes them."""

import pytest

from benchmarks.extraction.shaped_pages import BYTES, SHAPES
from curation.extract.resiliparse import Resiliparse


@pytest.mark.parametrize("shape", SHAPES)
def test_a_page_has_its_size_and_is_within_the_limits(shape: str) -> None:
    page = SHAPES[shape](1).encode()
    assert BYTES < len(page) < 1.1 * BYTES
    row = Resiliparse(max_nodes=400_000 // 16, math="drop").prepare(page, "text/html; charset=utf-8")
    assert row.reason is None
