"""What a plan refuses of a dedup stage, before any work."""

from pathlib import Path

import pytest

from curation.core.errors import RecipeError
from curation.engine.plan import build_plan
from curation.engine.recipe import parse
from tests.curation.engine.dedup.runs import recipe


@pytest.mark.parametrize(
    ("methods", "options", "message"),
    [
        ("substring: {}", "against: [somewhere]", "substring cannot be compared with earlier runs"),
        ("line: {}", "max_removed: {source: 0.5}", "these methods list spans and drop no document"),
        ("exact: {}", "prepass: {expected_keys: 1_000_000_000_000}", "prepass: a sketch of .* give at least"),
        ("bloom: {}", "", "bloom has nothing to do: give `against`, `expected_items`, or both"),
        ("bloom: {expected_items: 9, false_positive_rate: 2}", "", "false_positive_rate"),
        ("minhash: {bands: 3}", "", "give both bands and rows, or neither"),
        ("exat: {}", "", "no dedup named 'exat'; did you mean 'exact'"),
    ],
)
def test_refused(tmp_path: Path, methods: str, options: str, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        build_plan(parse(recipe(tmp_path, methods, options=options), "m.yaml"))
