"""Options that name a fit stage: one before it that makes what the option takes."""

from pathlib import Path

import pytest

from curation.core.errors import RecipeError
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import parse
from tests.curation.engine.inputs import write_sources

FIT = "  - fit: {tokenizer: {vocab_size: 300}}"


def plan(folder: Path, fit: str, wanted: str = "@tokenizer") -> list[str]:
    recipe = write_sources(folder).replace(FIT, fit).replace('"@tokenizer"', f'"{wanted}"')
    return [node.name for node in build_plan(parse(recipe, "joined.yaml"))]


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
