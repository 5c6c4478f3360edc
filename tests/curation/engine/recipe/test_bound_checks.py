"""Limits that name a quantile which nothing tells are refused before any work, with file and line."""

from pathlib import Path

import pytest

from curation.core.errors import RecipeError
from curation.engine.driver.dry_run import dry_run
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import parse
from tests.curation.engine.recipe.quantile_recipes import STAGES, recipe_of


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        pytest.param("@quantiles p50", "@quantile p50", "no fit stage before named 'quantile'; did you mean", id="fit"),
        pytest.param("@quantiles p50", "@quantiles 50", "names no quantile; write '@NAME p90'", id="form"),
        pytest.param(
            "[gopher_quality.mean_word_length]",
            "[gopher_quality.lines]",
            "has no field 'lines', which quantiles",
            id="s",
        ),
        pytest.param(
            "max_mean_word_length: ", "max_words: ", "has no quantiles of gopher_quality.words; add it", id="not in"
        ),
        pytest.param(
            "max_mean_word_length: ", "max_wrds: ", "unknown option 'max_wrds'; did you mean 'max_words'", id="option"
        ),
        pytest.param("p50", "p50 by source", "limits may differ by language.label only, not by source", id="by"),
        pytest.param("p50", "p50 by language.label", "has no quantiles by language.label; give it `by", id="no groups"),
        pytest.param("{max_mean", "{min_words: 3, max_mean", "already ran in this chain", id="measured otherwise"),
    ],
)
def test_the_plan_refuses(tmp_path: Path, old: str, new: str, message: str) -> None:
    recipe = recipe_of(tmp_path, STAGES.replace(old, new))
    with pytest.raises(RecipeError, match=rf"^m:\d+: .*{message}"):
        dry_run(parse(recipe, "m"), str(tmp_path / "run"))


def test_a_rule_set_that_cannot_tell_languages_apart(tmp_path: Path) -> None:
    stages = """  - filter: {language: {}}
  - fit: {quantiles: {signals: [language.score], by: language.label}}
  - filter: {language: {min_score: "@quantiles p50 by language.label"}}
"""
    with pytest.raises(RecipeError, match=r"m:\d+: .*min_score: language has no limits by language; leave out `by"):
        build_plan(parse(recipe_of(tmp_path, stages), "m"))


def test_a_column_whose_type_an_asset_decides_is_still_known(tmp_path: Path) -> None:
    stages = """  - fit: {unigrams: {}}
  - filter: {unigram_divergence: {reference: "@unigrams"}}
    name: first
  - filter: {unigram_divergence: {reference: "@unigrams", max_divergence: 3}}
"""
    with pytest.raises(RecipeError, match="already ran in this chain; its column exists"):
        build_plan(parse(recipe_of(tmp_path, stages), "m"))
