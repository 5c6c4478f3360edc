"""The shipped recipes in every reading; texts by kind, English ones only."""

import json
from pathlib import Path

import pytest

from benchmarks.heuristics.good_tokens import RECIPES, VARIANTS, measure, shipped_variant, steps_of, texts

ENGLISH = "The mill by the river has stood there for a hundred years, and people still come to see it.\n"


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_in_a_variant(recipe: str) -> None:
    for variant in VARIANTS:
        steps = steps_of(recipe, variant)
        found = {key: vars(one)["variant"] for step in steps for key, one in step.components if "variant" in vars(one)}
        own = found.pop("fineweb_quality", variant)
        assert set(found.values()) == {variant}
        assert own == variant or (variant, own) in {("dolma", "datatrove"), ("dclm", "datatrove")}
    assert shipped_variant(recipe) in VARIANTS


def test_variants_as_shipped() -> None:
    assert {recipe: shipped_variant(recipe) for recipe in RECIPES} == {
        **dict.fromkeys(("gopher", "c4", "refinedweb"), "paper"),
        "fineweb": "datatrove",
        "dclm": "dclm",
    }


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_recipe_judges_without_what_it_learns(tmp_path: Path, recipe: str) -> None:
    (tmp_path / "good.jsonl").write_text(json.dumps({"text": ENGLISH * 8, "kind": "book", "lang": "en"}) + "\n")
    found = measure([recipe], texts([str(tmp_path / "good.jsonl")]))[recipe]
    assert {loss.given.documents for loss in found.values()} == {1}


def test_c4_cuts_lines_without_an_end(tmp_path: Path) -> None:
    prose = ENGLISH * 8
    rows = [
        {"text": prose + "a line that does not end in any mark\n", "kind": "book", "lang": "en"},
        {"text": prose, "kind": "talk", "lang": "en"},
        {"text": "nicht gelesen", "kind": "talk", "lang": "de"},
    ]
    (tmp_path / "good.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    loss = measure(["c4"], texts([str(tmp_path / "good.jsonl")]))["c4"]["paper"]
    words = len(prose.split())
    assert loss.given.tokens == 2 * words + 9
    cut = [stage for stage in loss.stages if stage.verb == "rewrite"][-1]  # behind `unicode`
    assert cut.every.tokens == cut.lost.tokens == 9
    assert cut.limits[0].groups["book"].tokens == 9
    assert loss.kept.tokens == 2 * words
