"""A stage as a recipe has it: short, and read as the same components."""

from collections.abc import Mapping
from math import inf
from typing import Any

import pytest
import yaml

from curation.core.verbs import FILTER
from curation.engine.recipe.recipe import parse
from pipelines.recipe_item import item_text, shortened

RECIPE = """
version: 1
name: r
sources:
  web:
    - read: {jsonl: {paths: [a.jsonl]}}
    - filter: {language: {}}
    %s
"""


def stage(item: str) -> Any:
    text = RECIPE % item.replace("\n", "\n    ")
    return parse(text, "r.yaml").sources["web"][-1]


def resolved(item: str) -> dict[str, Any]:
    """The item as run.json has it."""
    text = RECIPE % item.replace("\n", "\n    ")
    plain: dict[str, Any] = parse(text, "r.yaml").resolved()["sources"]["web"][-1]
    return plain


@pytest.mark.parametrize(
    ("item", "shown"),
    [
        pytest.param("- filter: {gopher_quality: {}}", "- filter:\n    gopher_quality: {}", id="defaults"),
        pytest.param(
            "- filter: {gopher_quality: {min_words: 40, by_language: shipped}}",
            "- filter:\n    gopher_quality: {min_words: 40, by_language: shipped}",
            id="the shipped kits and a limit of one's own",
        ),
        pytest.param(
            "- filter: {gopher_quality: {max_mean_word_length: .inf}, fineweb_quality: {by_language: shipped}}\n"
            "  name: both\n  expect_kept: [0.1, 1.0]",
            "- filter:\n    gopher_quality: {max_mean_word_length: .inf}\n    fineweb_quality: {by_language: shipped}\n"
            "  name: both\n  expect_kept: [0.1, 1.0]",
            id="two filters and what stands beside",
        ),
        pytest.param(
            "- filter: {gopher_quality: {by_language: {'no': {min_words: 7}}, min_stop_words: 0}}",
            "- filter:\n    gopher_quality:\n      min_stop_words: 0\n      by_language:\n        'no': {min_words: 7}",
            id="limits of a language",
        ),
        pytest.param(
            "- filter: {gopher_quality: {min_words: '@q p10 by language.label', by_language: shipped}}",
            "- filter:\n    gopher_quality: {min_words: '@q p10 by language.label', by_language: shipped}",
            id="a quantile",
        ),
    ],
)
def test_an_item_is_short_and_means_the_same(item: str, shown: str) -> None:
    text = item_text(resolved(item))
    assert text == shown
    assert stage(text) == stage(item)


def own_limit(options: Mapping[str, Any]) -> dict[str, Any]:
    kits = options["by_language"]
    return {**options, "by_language": {**kits, "de": {**kits["de"], "min_words": 20}}}


def test_kits_that_were_changed_are_written_out() -> None:
    options = resolved("- filter: {gopher_quality: {by_language: shipped}}")["filter"]["gopher_quality"]
    brief = shortened(FILTER, "gopher_quality", own_limit(options))
    assert brief["by_language"]["de"]["min_words"] == 20
    assert len(brief["by_language"]) == len(options["by_language"])
    text = item_text({FILTER.name: {"gopher_quality": own_limit(options)}})
    assert stage(text).components[0][1].by_language["de"]["min_words"] == 20


def test_a_limit_that_the_kits_would_give_to_other_languages_too_is_written_out() -> None:
    """`others.yaml` states it, so that a stated one would hold for the languages with kits as well."""
    options = resolved("- filter: {gopher_quality: {by_language: shipped}}")["filter"]["gopher_quality"]
    (changed, *_) = (
        name for name in options if name in options["by_language"]["de"] and isinstance(options[name], int)
    )
    item = {FILTER.name: {"gopher_quality": {**options, changed: options[changed] + 1}}}
    again = resolved(item_text(item))["filter"]["gopher_quality"]
    assert {**again, "stop_words": None} == {**options, changed: options[changed] + 1, "stop_words": None}


def test_texts_that_yaml_would_misread_are_quoted() -> None:
    item = {FILTER.name: {"gopher_quality": {"stop_words": ["no", "y", "1e3", "ج", "a: b"], "min_words": inf}}}
    options = yaml.safe_load(item_text(item))[0]["filter"]["gopher_quality"]
    assert options == {"stop_words": ["no", "y", "1e3", "ج", "a: b"], "min_words": inf}
