"""Which stages of a plan redact last, and which fits learnt from what they redact."""

import pytest

from curation.core.errors import RecipeError
from curation.core.protocols import Redacting
from curation.engine.recipe.node import Node
from curation.engine.recipe.originals import last_redacting, learnt_before
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import Recipe, parse
from curation.rewrite import c4_lines, refinedweb_lines
from tests.curation.engine.erase.redacting_runs import RedactingLines

RECIPE = """
version: 1
privacy: {originals: %s}
sources:
  web:
    - read: {jsonl: {paths: [web.jsonl]}}
    - fit: {tokenizer: {vocab_size: 300}}
      name: early
    - rewrite: {c4_lines: {}}
      name: first
    - rewrite: {refinedweb_lines: {}}
      name: plain
  books:
    - read: {jsonl: {paths: [books.jsonl]}}
joined:
  - fit: {tokenizer: {vocab_size: 300}}
    name: late
  - tokenize: {tokenizer: "@late"}
"""


@pytest.fixture(autouse=True)
def redacting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c4_lines, "C4Lines", RedactingLines)


def planned(originals: str, text: str = RECIPE) -> tuple[Recipe, list[Node]]:
    recipe = parse(text % originals, "r.yaml")
    return recipe, build_plan(recipe)


def names(text: str = RECIPE, originals: str = "until_sealed") -> set[str]:
    recipe, nodes = planned(originals, text)
    return {nodes[index].name for index in last_redacting(recipe, nodes)}


def test_the_stage_with_a_component_that_redacts_is_found() -> None:
    assert names() == {"web-first"}


def test_of_several_in_a_chain_only_the_last_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    class Also(refinedweb_lines.RefinedwebLines, Redacting):
        """The other rewriter, as one that redacts."""

    monkeypatch.setattr(refinedweb_lines, "RefinedwebLines", Also)
    assert names() == {"web-plain"}


def test_each_chain_has_its_own() -> None:
    both = RECIPE.replace("[books.jsonl]}}\n", "[books.jsonl]}}\n    - rewrite: {c4_lines: {}}\n")
    assert names(both) == {"web-first", "books-c4_lines"}


def test_kept_originals_need_no_stage() -> None:
    assert names(originals="keep") == set()


def test_nothing_redacts_is_refused_with_its_line() -> None:
    recipe, nodes = planned("until_sealed", RECIPE.replace("c4_lines", "unicode"))
    with pytest.raises(RecipeError, match=r"r.yaml:3: privacy.originals: no stage of the recipe redacts"):
        last_redacting(recipe, nodes)


def test_an_unknown_choice_is_refused() -> None:
    with pytest.raises(RecipeError, match="originals"):
        planned("delete")


def test_fits_before_it_learnt_from_originals() -> None:
    _, nodes = planned("until_sealed")
    assert learnt_before(nodes, next(node for node in nodes if node.name == "web-first")) == ["web-early"]
