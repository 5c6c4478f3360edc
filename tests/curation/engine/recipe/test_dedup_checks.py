"""What a plan refuses of a dedup stage, before any work."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest

from curation.core import catalog
from curation.core.dedup_methods import DedupMethod, Keys
from curation.core.errors import RecipeError
from curation.dedup.exact import Exact
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import parse
from tests.curation.engine.dedup.runs import recipe


@pytest.mark.parametrize(
    ("methods", "options", "message"),
    [
        ("substring: {}", "against: [somewhere]", "substring cannot be compared with earlier runs"),
        ("line: {}", "max_removed: {source: 0.5}", "these methods list spans and drop no document"),
        ("bloom: {}", "", "bloom has nothing to do: give `against`, `expected_items`, or both"),
        ("bloom: {expected_items: 9, false_positive_rate: 2}", "", "false_positive_rate"),
        ("minhash: {bands: 3}", "", "give both bands and rows, or neither"),
        ("exact: {}, line: {}", "", "line: lists parts of texts, and exact drops documents that have them"),
        ("minhash: {}, bloom: {unit: url, expected_items: 9}", "", "bloom: drops documents by their URL, and minhash"),
        ("exat: {}", "", "no dedup named 'exat'; did you mean 'exact'"),
        ("exact: {}", "keep: shortest", "expected 'longest' or 'earliest'|keep"),
        ("exact: {}", "keep: {highest: gopher_quality.words}", "no signal gopher_quality.words here"),
        ("exact: {}", "keep: {sources: [wbe]}", "no source 'wbe'; did you mean 'web'"),
        ("exact: {}", "max_removed: {wbe: 0.5}", "no source 'wbe'; did you mean 'web'"),
        ("exact: {}", "max_removed: {web: 5}", "max_removed is a fraction"),
        ("exact: {}", "clusters: {split: true}", "split cuts clusters above a limit"),
        ("exact: {}", "against: [nowhere]", "nowhere is neither a run nor a sealed stage"),
    ],
)
def test_refused(tmp_path: Path, methods: str, options: str, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        build_plan(parse(recipe(tmp_path, methods, options=options), "m.yaml"))


def test_sources_are_checked_also_behind_an_asset_that_is_not_there_yet(tmp_path: Path) -> None:
    text = recipe(tmp_path, "exact: {}", options="max_removed: {wbe: 0.5}")
    fit = '  - fit: {unigrams: {}}\n  - filter: {unigram_divergence: {reference: "@unigrams", max_divergence: 5}}\n'
    with pytest.raises(RecipeError, match="no source 'wbe'; did you mean 'web'"):
        build_plan(parse(text.replace("joined:\n", f"joined:\n{fit}"), "m.yaml"))


def test_a_method_of_no_kind_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True, kw_only=True)
    class Keyless(DedupMethod):
        def keys(self, batch: pa.RecordBatch) -> Keys:
            return Exact().keys(batch)

    find = catalog.find
    monkeypatch.setattr(catalog, "find", lambda verb, key: Keyless if key == "keyless" else find(verb, key))
    with pytest.raises(RecipeError, match="keyless: derives from none of Links, Spans and Members"):
        build_plan(parse(recipe(tmp_path, "keyless: {}"), "m.yaml"))
