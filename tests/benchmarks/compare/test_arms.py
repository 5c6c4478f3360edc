"""What is compared: every arm is there, up to its tokenizer, and no classifier scores a page that it was shown."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from benchmarks.case import AbsentError
from benchmarks.classifier.halves import FILES
from benchmarks.compare.arms import NAMES, _recipes
from curation.engine.recipe.recipe import parse

EXAMPLES = {name: Path(f"{name}.jsonl") for name in ("prose", "first", "second")}


@pytest.fixture
def recipes() -> dict[str, dict[str, list[dict[str, Any]]]]:
    try:
        return _recipes(EXAMPLES, Path("prose.arpa"))
    except AbsentError as absent:
        pytest.skip(str(absent))


def test_every_arm_is_made_and_ends_before_tokens(recipes: dict[str, Any]) -> None:
    assert {*recipes, "visible", "datatrove"} == set(NAMES)
    verbs = {verb for sources in recipes.values() for stages in sources.values() for stage in stages for verb in stage}
    assert not verbs & {"tokenize", "pack", "mix"}
    for name, sources in recipes.items():
        text = yaml.safe_dump({"version": 1, "name": name, "sources": sources}, sort_keys=False)
        assert "language" in text
        assert len(sources) > 1 or parse(text, name).name == name


def test_a_classifier_learns_from_the_other_half_of_the_archives(recipes: dict[str, Any]) -> None:
    for half, other in (("first", "second"), ("second", "first")):
        stages = recipes["dclm+classifier"][half]
        files = [int(path[-len("0.warc.gz")]) for path in stages[0]["read"]["warc"]["paths"]]
        (fit,) = (stage["fit"]["classifier"] for stage in stages if "classifier" in stage.get("fit", {}))
        assert (tuple(files), fit["negatives"]) == (FILES[half], f"{other}.jsonl")
