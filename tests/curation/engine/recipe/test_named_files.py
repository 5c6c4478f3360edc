"""The line of a recipe that names a file which an error is about."""

import json
from pathlib import Path

import pytest

from curation.core.errors import InputError, RecipeError, UserError
from curation.core.settings import YamlFile, load_yaml
from curation.engine.driver.dry_run import dry_run
from curation.engine.recipe.named_files import at_named, at_named_only, place
from curation.engine.recipe.recipe import parse

TEXT = """top:
  - model: models/a.bin
    lists:
      - a.bin
      - s3://me:secret@store/words.txt
  - model: other.bin
"""
DOCUMENT = load_yaml(TEXT, "m.yaml")


@pytest.mark.parametrize(
    ("message", "path"),
    [
        pytest.param("no file at models/a.bin; give one", ("top", 0, "model"), id="a path that ends in another"),
        pytest.param("cannot read a.bin: denied", ("top", 0, "lists", 0), id="an item of a list"),
        pytest.param("s3://***@store/words.txt is gone", ("top", 0, "lists", 1), id="credentials are masked"),
        pytest.param("no a.binary, no xa.bin and no a.bin", ("top", 0, "lists", 0), id="behind other words"),
        pytest.param("there is no data.bin", None, id="the end of another word"),
        pytest.param("a.bin.gz is missing", None, id="the beginning of another word"),
        pytest.param("other.bin is missing", None, id="elsewhere in the file"),
    ],
)
def test_the_place_of_what_a_message_names(message: str, path: tuple[str | int, ...] | None) -> None:
    assert place(DOCUMENT, ("top", 0), message) == path


def test_no_place_below_what_the_recipe_lacks() -> None:
    assert place(DOCUMENT, ("top", 5, "model"), "other.bin is missing") is None
    assert place(YamlFile("python", {"a": ("x", "y.bin")}, {}), ("a",), "y.bin is missing") == ("a", 1)


def test_without_a_place_the_line_is_that_of_the_stage_or_the_error_stays_as_it_is() -> None:
    for context, name, told in (
        (at_named, "new", "m.yaml:6: top.1: new.bin is missing"),
        (at_named_only, "new", "new.bin is missing"),
        (at_named_only, "other", "m.yaml:6: top.1.model: other.bin is missing"),
    ):
        with pytest.raises(UserError) as raised, context(DOCUMENT, ("top", 1)):
            raise InputError(f"{name}.bin is missing")
        assert str(raised.value) == told


RECIPE = """version: 1
sources:
  web:
    - read:
        jsonl:
          paths: [{folder}/a.jsonl]
    - fit: {{quantiles: {{signals: [gopher_quality.words]}}}}
"""
STAGES = {
    "examples of a fit after another": (
        """    - fit:
        classifier:
          positives: good.jsonl
          negatives: {{}}
""",
        ":11: sources.web.3.fit.classifier.positives: no input matches good.jsonl in {here};",
    ),
    "labelled examples": (
        """    - fit:
        classifier:
          labelled:
            files: [{folder}/a.jsonl, scores.parquet]
            label: score
""",
        ":12: sources.web.3.fit.classifier.labelled.files.1: no input matches scores.parquet in {here};",
    ),
    "an evaluation set": (
        """    - fit:
        evalsets:
          sets:
            one: {{files: {folder}/a.jsonl, question: text}}
            two:
              files: two.csv
              question: q
""",
        ":14: sources.web.3.fit.evalsets.sets.two.files: no input matches two.csv in {here};",
    ),
    "a field that an evaluation set lacks": (
        """    - fit:
        evalsets:
          sets:
            one:
              files: {folder}/a.jsonl
              question: body
""",
        ":13: sources.web.3.fit.evalsets.sets.one.files: ",
    ),
    "a model": (
        """    - filter:
        quality_classifier:
          min_score: 0.5
          model: none.bin
""",
        ":12: sources.web.3.filter.quality_classifier.model: no classifier at none.bin;",
    ),
    "a model for a language": (
        """    - filter: {{language: {{languages: [en]}}}}
    - filter:
        quality_classifier:
          model:
            en: none.bin
""",
        ":13: sources.web.4.filter.quality_classifier.model.en: no classifier at none.bin;",
    ),
    "an earlier run": (
        """    - dedup: {{exact: {{}}}}
      against:
        - nowhere
""",
        ":11: sources.web.3.against.0: {here}/nowhere is neither a run nor a sealed stage;",
    ),
}


@pytest.mark.parametrize("name", STAGES)
def test_a_plan_says_which_line_names_a_missing_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after a fit that has not run, where the stage's address is not known yet."""
    stage, message = STAGES[name]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": "words", "score": 1}) + "\n")
    before = "    - filter: {{gopher_quality: {{}}}}\n    - fit: {{quan"
    text = RECIPE.replace("    - fit: {{quan", before) + stage
    with pytest.raises(RecipeError) as caught:
        dry_run(parse(text.format(folder=tmp_path), "m.yaml"), str(tmp_path / "run"))
    assert str(caught.value).startswith("m.yaml" + message.format(here=tmp_path))


def test_a_missing_input_has_its_line_only_if_the_recipe_names_it(tmp_path: Path) -> None:
    text = RECIPE.partition("    - fit:")[0].format(folder=tmp_path)
    with pytest.raises(RecipeError, match=r"^m.yaml:6: sources.web.0.read.jsonl.paths.0: no input matches .*a.jsonl;"):
        dry_run(parse(text, "m.yaml"), str(tmp_path / "run"))
    with pytest.raises(InputError, match=r"^no input matches /none/b.jsonl; put files there"):
        dry_run(parse(text, "m.yaml", ["/none/b.jsonl"]), str(tmp_path / "run"))


def test_a_very_long_text_is_looked_for_at_once() -> None:
    document = YamlFile("m.yaml", {"a": "x" * 3_000_000, "b": "y" * 50_000}, {})
    assert place(document, (), f"no file at {'x' * 2_000_000}") is None
    assert place(document, (), f"no file at {'y' * 50_000}; give one") == ("b",)
