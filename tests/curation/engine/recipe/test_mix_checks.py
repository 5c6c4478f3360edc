"""A mix is checked before any work: names that no pack will have, and other runs that are not there."""

from pathlib import Path

import pytest

from curation.core.errors import InputError, RecipeError
from curation.engine.recipe.mix_checks import mix_parts, other_packs
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import parse
from curation.tokens.mix import Mix
from tests.curation.engine.inputs import write_sources

MIX = "mix: {weights: {news: 1, books: 1}}"


def recipe(tmp_path: Path, mix: str) -> str:
    """Of the two sources."""
    return write_sources(tmp_path).replace(MIX, f"mix: {mix}")


@pytest.mark.parametrize(
    ("mix", "message"),
    [
        pytest.param(
            "{weights: {news: 1, boks: 1}}", "'boks', which no pack holds; did you mean 'books'", id="unknown"
        ),
        pytest.param("{weights: {news: 1}}", "no weight for source 'books'", id="left out"),
        pytest.param("{weights: {news/a: 1, books: 1}}", "'news/a', which no pack holds", id="not split"),
        pytest.param("{max_epochs: {web: 2}}", "max_epochs names 'web'", id="epochs of an unknown source"),
        pytest.param("{weights: {news: 0, books: 0}}", "every weight is 0", id="all 0"),
        pytest.param("{phases: [{name: a, share: 1, weights: {x: 1}}]}", "names 'x'", id="phase"),
        pytest.param("{tokens: 31}", "mix.tokens: 31 tokens are less than one row of 32", id="less than a row"),
        pytest.param("{runs: {old: nowhere}}", "old is no run, .*/nowhere has no run.json", id="no run"),
    ],
)
def test_refused_before_any_work(tmp_path: Path, mix: str, message: str) -> None:
    with pytest.raises(RecipeError, match=f"m.yaml:16: joined.4.*{message}"):
        build_plan(parse(recipe(tmp_path, mix), "m.yaml"))


def test_a_source_that_will_be_split_may_have_weights_for_its_parts(tmp_path: Path) -> None:
    text = recipe(tmp_path, "{weights: {news/a: 1, news/b: 2, books/a: 1}}")
    split = "pack: {split_by: {column: url}, "
    build_plan(parse(text.replace("pack: {", split), "m.yaml"))


def test_paths_of_other_runs_hold_no_credentials() -> None:
    with pytest.raises(InputError, match=r"runs: old: .* has credentials, which the index of the mix would keep"):
        other_packs({"old": "s3://key:secret@bucket/run"})


def test_a_mix_of_no_other_run_names_none() -> None:
    assert mix_parts(Mix()) == {"runs": {}}
