"""Limits for languages that never arrive are refused, with the one that was meant."""

import pytest

from curation.core.errors import RecipeError
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import parse

HEAD = """
version: 1
sources:
  docs:
    - read: {jsonl: {paths: [a.jsonl]}}
    - filter: {language: {languages: [en, de]}}
    - rewrite: {unicode: {}}
"""
GERMAN = "{by_language: {de: {min_words: 5}}}"


def planned(stage: str) -> None:
    build_plan(parse(HEAD + f"    - {stage}\n", "r.yaml"))


def test_limits_of_languages_that_arrive() -> None:
    planned(f"filter: {{gopher_quality: {GERMAN}}}")
    planned(f"rewrite: {{c4_lines: {GERMAN}}}")


@pytest.mark.parametrize(
    ("stage", "message"),
    [
        pytest.param(
            f"filter: {{gopher_quality: {GERMAN.replace('de', 'German')}}}",
            "by_language.German: the language stage finds no such language; did you mean 'de'?",
            id="a name",
        ),
        pytest.param(
            f"rewrite: {{c4_lines: {GERMAN.replace('de', 'ja')}}}",
            "by_language.ja: the language stage keeps no document in it, only de, en; remove it",
            id="not wanted",
        ),
        pytest.param(
            "filter: {perplexity: {models: {ja: a.arpa}}}",
            "models.ja: the language stage keeps no document",
            id="models",
        ),
        pytest.param(
            "filter: {toxicity: {term_lists: {xx: a.txt}}}", "term_lists.xx: the language stage finds no", id="files"
        ),
    ],
)
def test_languages_that_never_arrive(stage: str, message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        planned(stage)
    assert message in str(caught.value)
