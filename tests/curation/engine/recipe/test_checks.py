"""Refused before any work: fits that are not there, languages that never arrive, keys that everyone may read."""

import re
from pathlib import Path

import pytest

from curation.core.errors import RecipeError
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import parse
from tests.curation.engine.inputs import write_sources
from tests.support import refusal

FIT = "  - fit: {tokenizer: {vocab_size: 300}}"


def plan(folder: Path, fit: str, wanted: str = "@tokenizer") -> list[str]:
    recipe = write_sources(folder).replace(FIT, fit).replace('"@tokenizer"', f'"{wanted}"')
    return [node.name for node in build_plan(parse(recipe, "joined.yaml"))]


@pytest.mark.parametrize(
    ("stage", "option", "message"),
    [
        (
            "  - dedup: {exact: {}}",
            "max_failed_inputs: 3",
            "max_failed_inputs: it has no effect, as the stage reads no",
        ),
        ("  - dedup: {exact: {}}", "max_failed_rows: 0.9", "max_failed_rows: it has no effect, as the stage reads no"),
        (FIT, "expect_kept: [0.5, 1]", "joined.1.expect_kept: it has no effect, as fit drops no documents; leave it"),
        ("  - pack: {sequence_length: 32}", "max_errors: 0.5", "it has no effect, as pack drops no documents"),
        ("  - mix: {weights: {news: 1, books: 1}}", "max_failed_inputs: 1", "it has no effect, as the stage reads no"),
    ],
)
def test_an_option_without_effect_beside_a_verb(tmp_path: Path, stage: str, option: str, message: str) -> None:
    recipe = write_sources(tmp_path)
    assert stage in recipe
    with pytest.raises(RecipeError, match=re.escape(message)):
        build_plan(parse(recipe.replace(stage, f"{stage}\n    {option}"), "joined.yaml"))


@pytest.mark.parametrize(
    "part", ["tokenizer: {model: unigram}", "sentencepiece: {}", "sentencepiece: {model_type: bpe}"]
)
def test_a_tokenizer_may_come_from_either_fit(tmp_path: Path, part: str) -> None:
    key = part.partition(":")[0]
    assert key in plan(tmp_path, f"  - fit: {{{part}}}", f"@{key}")
    assert "mine" in plan(tmp_path, f"  - fit: {{{part}}}\n    name: mine", "@mine")


@pytest.mark.parametrize(
    ("fit", "wanted", "message"),
    [
        pytest.param(
            "  - fit: {unigrams: {}}",
            "@unigrams",
            "@unigrams makes a unigrams; tokenizer takes what `fit: tokenizer` or `fit: sentencepiece` makes",
            id="another fit",
        ),
        pytest.param("", "@tokenizer", "put `- fit: {tokenizer: {}}` before this stage", id="none"),
        pytest.param(FIT, "@tokeniser", "did you mean 'tokenizer'", id="misspelt"),
        pytest.param(FIT, "/none/tokenizer.json", "no file at /none/tokenizer.json", id="no file"),
        pytest.param(FIT, "", "needs a tokenizer: a path, or @", id="empty"),
    ],
)
def test_what_the_option_cannot_take(tmp_path: Path, fit: str, wanted: str, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        plan(tmp_path, fit, wanted)


LANGUAGES = """
version: 1
sources:
  docs:
    - read: {jsonl: {paths: [a.jsonl]}}
    - filter: {language: {languages: [en, de]}}
    - rewrite: {unicode: {}}
"""
GERMAN = "{by_language: {de: {min_words: 5}}}"


def planned(stage: str) -> None:
    build_plan(parse(LANGUAGES + f"    - {stage}\n", "r.yaml"))


def test_limits_of_languages_that_arrive() -> None:
    assert refusal(planned, f"filter: {{gopher_quality: {GERMAN}}}") is None
    assert refusal(planned, f"rewrite: {{c4_lines: {GERMAN}}}") is None


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
        ("filter: {perplexity: {models: {ja: a.arpa}}}", "models.ja: the language stage keeps no document"),
        ("filter: {toxicity: {term_lists: {xx: a.txt}}}", "term_lists.xx: the language stage finds no"),
    ],
)
def test_languages_that_never_arrive(stage: str, message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        planned(stage)
    assert message in str(caught.value)


KEYED = """
version: 1
name: keyed
sources:
  notes:
    - read: {jsonl: {paths: [a.jsonl]}}
    - rewrite:
        secrets: {action: surrogate, key_id: spring, key: {file: %s}}
"""


def test_a_key_that_everyone_may_read(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("correct horse battery staple")
    key.chmod(0o604)
    recipe = parse(KEYED % key, "keyed.yaml")
    with pytest.raises(RecipeError, match=r"^keyed.yaml:8: .*key: everyone on this machine may read") as caught:
        build_plan(recipe)
    assert "horse" not in str(caught.value)
    key.chmod(0o600)
    build_plan(recipe)


def test_an_action_on_a_kind_that_is_never_found() -> None:
    recipe = parse(KEYED.replace("action: surrogate, key_id: spring, key: {file: %s}", "actions: {jvt: remove}"), "m")
    with pytest.raises(RecipeError, match="actions: no kind 'jvt'; did you mean 'jwt'"):
        build_plan(recipe)
