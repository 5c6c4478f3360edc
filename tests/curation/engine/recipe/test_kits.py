"""Kits become limits when the recipe is read: those of the language first, then the recipe's."""

from pathlib import Path
from typing import Any

import pytest

from curation.core.errors import RecipeError
from curation.engine.recipe.recipe import parse
from curation.text.languages.kits import has_kits

RECIPE = """
version: 1
sources:
  web:
    - read: {jsonl: {paths: []}}
    - %s
"""


def component(stage: str) -> Any:
    (_, own) = parse(RECIPE % stage, "m").sources["web"]
    return dict(own.components)[stage.split("{")[1].split(":")[0].strip()]


def test_a_language_has_its_kit_and_for_the_rest_the_rule_sets_own_limits() -> None:
    rules = component("filter: {gopher_quality: {by_language: shipped, min_words: 30}}")
    german = rules.by_language["de"]
    chinese = rules.by_language["zh"]
    assert (rules.words, rules.min_stop_words, rules.min_words) == ("segments", 0, 30)
    assert (german["min_stop_words"], german["min_mean_word_length"]) == (2, 3.0)
    assert "der" in german["stop_words"]
    assert chinese["min_mean_word_length"] < 3.0
    assert "min_words" not in german, "the recipe's own limit holds in all languages"
    assert has_kits(rules.by_language)
    assert not has_kits({"de": {}})


def test_the_limits_stand_in_the_resolved_recipe() -> None:
    recipe = parse(RECIPE % "filter: {fineweb_quality: {by_language: shipped}}", "m")
    options = recipe.resolved()["sources"]["web"][1]["filter"]["fineweb_quality"]
    assert options["words"] == "segments"
    assert options["by_language"]["zh"]["max_short_lines"] == 0.9


def test_options_without_effect_in_a_variant_are_left_out() -> None:
    lines = component("rewrite: {c4_lines: {variant: dolma, by_language: shipped}}")
    assert lines.by_language["zh"] == {"min_words": 1}
    assert component("rewrite: {c4_lines: {by_language: shipped}}").by_language["zh"]["max_word_length"] > 1000


def test_a_folder_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "de.yaml").write_text("languages: [de]\noptions: {gopher_quality: {min_words: 7}}")
    german = component(f"filter: {{gopher_quality: {{by_language: {tmp_path}}}}}").by_language["de"]
    assert german["min_words"] == 7
    assert "der" in german["stop_words"], "what the folder leaves out is as shipped"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param("gopher_quality: {min_word: 7}", r"de.yaml:3: .*quality.min_word: no option", id="name"),
        pytest.param("gopher_quality: {variant: dclm}", r"de.yaml:3: .*no option 'variant' of a", id="variant"),
        pytest.param("gopher_quality: {min_words: many}", r"de.yaml:3: .*expected a whole number", id="type"),
    ],
)
def test_what_a_kit_must_not_say(tmp_path: Path, options: str, message: str) -> None:
    (tmp_path / "de.yaml").write_text(f"languages: [de]\noptions:\n  {options}\n")
    with pytest.raises(RecipeError, match=message):
        component(f"filter: {{gopher_quality: {{by_language: {tmp_path}}}}}")


@pytest.mark.parametrize(
    ("stage", "message"),
    [
        pytest.param("filter: {gopher_quality: {by_language: nowhere}}", r"m:6: .*no kits in nowhere", id="no folder"),
        pytest.param("filter: {toxicity: {by_language: shipped}}", r"m:6: .*no kit has options", id="no kits"),
        pytest.param("filter: {code_quality: {by_language: shipped}}", r"m:6: .*no kit has options of", id="code"),
    ],
)
def test_refused(stage: str, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        component(stage)
