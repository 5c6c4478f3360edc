"""The recipe of the side-by-side run is one, and its steps are FineWeb's in FineWeb's order."""

from pathlib import Path

import pytest

from benchmarks.pipeline.side_by_side import extractors, recipe
from curation.engine.recipe.recipe import parse


@pytest.mark.parametrize("extractor", ["resiliparse", "learnt", "cascade"])
def test_recipe(tmp_path: Path, extractor: str) -> None:
    parsed = parse(recipe(tmp_path, tmp_path, extractors(tmp_path, "extractor.bin")[extractor]), extractor)
    assert [key for stage in parsed.sources["web"] for key, _ in stage.components] == [
        *("warc", extractor, "url_blocklist", "language", "gopher_repetition", "gopher_quality"),
        *("c4_lines", "c4_quality", "fineweb_quality"),
    ]
