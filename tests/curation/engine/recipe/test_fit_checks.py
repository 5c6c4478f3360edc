"""What a fit is refused for before any work, with file and line."""

from pathlib import Path

import pytest

from curation.core.errors import RecipeError
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import parse
from tests.curation.engine.fit.conftest import toys as toys
from tests.curation.engine.inputs import write_sources


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(
            "sample_by: language.label",
            r"^joined\.yaml:\d+: .*sample_by: after .*: no column 'language', which sample_by names",
            id="column",
        ),
        ("sample_by: source, sample_weights: {new: 1, '*': 1}", "no source 'new'; did you mean 'news'"),
    ],
)
def test_the_plan_refuses(tmp_path: Path, options: str, message: str) -> None:
    recipe = write_sources(tmp_path).replace("{vocab_size: 300}", f"{{vocab_size: 300, {options}}}")
    with pytest.raises(RecipeError, match=message):
        build_plan(parse(recipe, "joined.yaml"))


def test_the_plan_takes_sources_and_the_rest(tmp_path: Path) -> None:
    options = "sample_by: source, sample_weights: {news: 1, '*': 1}"
    recipe = write_sources(tmp_path).replace("{vocab_size: 300}", f"{{vocab_size: 300, {options}}}")
    assert build_plan(parse(recipe, "joined.yaml"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param("positives: {chain: boks}, negatives: {}", "no source 'boks'; did you mean 'books'", id="chain"),
        pytest.param("positives: {}, negatives: {}", "two labels name the same documents", id="the same chain"),
        pytest.param("positives: {chain: books, where: a > 1}", "text, where and label are of files", id="where"),
        pytest.param("positives: {chain: books, files: [a]}", "files and chain are both given", id="both"),
        ("positives: {fils: [a]}", r"fits.yaml:\d+: .*unknown option 'fils'; did you mean 'files'"),
        pytest.param("positives: 3", "expected text or a list", id="type"),
        pytest.param("positives: a.jsonl, sample_by: source", "a sample of examples is by label", id="sample_by"),
    ],
)
def test_examples_that_cannot_be(tmp_path: Path, toys: object, options: str, message: str) -> None:
    recipe = write_sources(tmp_path).partition("  - fit:")[0] + f"  - fit: {{labelled: {{{options}}}}}"
    with pytest.raises(RecipeError, match=message):
        build_plan(parse(recipe, "fits.yaml"))


def test_a_chain_that_comes_later(tmp_path: Path, toys: object) -> None:
    fit = "    - fit: {labelled: {positives: {chain: books}, negatives: {}}}\n  books:"
    with pytest.raises(RecipeError, match="the source 'books' stands after this fit, which reads it; move it before"):
        build_plan(parse(write_sources(tmp_path).replace("  books:", fit), "fits.yaml"))
