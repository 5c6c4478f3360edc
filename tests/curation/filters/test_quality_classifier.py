"""The score of a model of either kind, its limits, and models that do not fit."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from curation.core.errors import InputError, RecipeError
from curation.core.rules import Rule
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import parse
from curation.filters.quality_classifier import QualityClassifier
from tests.curation.models.classifier.examples import BAD, GOOD
from tests.curation.models.classifier.test_model_file import foreign, graded, model_file, two_grades
from tests.support import documents, table, verdict

ENGLISH = {"label": "en", "score": 1.0}
GERMAN = {"label": "de", "score": 1.0}


@pytest.fixture(params=["fasttext", "logistic"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return model_file(tmp_path, request.param)


def score(rule_set: QualityClassifier, text: str) -> float:
    value: float = rule_set.measure(documents(text))["score"][0].as_py()
    return value


def test_verdicts(path: str) -> None:
    rule_set = QualityClassifier(model=path, min_score=0.5)
    assert [verdict(rule_set, text) for text in (GOOD, BAD, "")] == [None, "score:low", "score:unmeasured"]


def test_the_limits_are_inclusive(path: str) -> None:
    own = score(QualityClassifier(model=path), GOOD)
    assert 0.5 < own < 1
    assert verdict(QualityClassifier(model=path, min_score=own), GOOD) is None
    assert verdict(QualityClassifier(model=path, min_score=own + 1e-9), GOOD) == "score:low"
    assert verdict(QualityClassifier(model=path, max_score=own), GOOD) is None
    assert verdict(QualityClassifier(model=path, max_score=own - 1e-9), GOOD) == "score:high"


def test_a_limit_on_the_grade(tmp_path: Path) -> None:
    rule_set = QualityClassifier(model=graded(tmp_path), min_grade=3)
    assert rule_set.assets()
    assert [verdict(rule_set, text) for text in (GOOD, BAD, "")] == [None, "grade:low", "grade:unmeasured"]


def test_no_grade_without_numbers(path: str) -> None:
    with pytest.raises(InputError, match="are no numbers, so it gives no grade; use min_score"):
        QualityClassifier(model=path, min_grade=3).assets()


def test_without_limits_it_only_marks(path: str) -> None:
    rule_set = QualityClassifier(model=path)
    assert rule_set.rules() == ()
    assert rule_set.measure(documents(GOOD, BAD, None))["label"].to_pylist() == ["positive", "negative", None]


def test_the_likeliest_label_can_be_a_limit(path: str) -> None:
    rule_set = QualityClassifier(model=path, labels=("negative",))
    assert [verdict(rule_set, text) for text in (GOOD, BAD, "")] == ["label:not_in", None, "label:unmeasured"]


def test_line_ends_are_spaces(path: str) -> None:
    rule_set = QualityClassifier(model=path)
    assert score(rule_set, GOOD) == score(rule_set, GOOD.replace(" ", "\n"))


def test_a_model_of_another_program_with_its_label(tmp_path: Path) -> None:
    path = foreign(tmp_path, "hq", "cc")
    for label in ("hq", "__label__hq"):
        rule_set = QualityClassifier(model=path, label=label, min_score=0.5)
        assert list(rule_set.assets()) == ["model"]
        assert [verdict(rule_set, text) for text in ("hqish", "ccish")] == [None, "score:low"]
    with pytest.raises(InputError, match="does not say which label is the good one"):
        QualityClassifier(model=path).assets()


def test_a_model_by_language(tmp_path: Path) -> None:
    (tmp_path / "de").mkdir()
    english = model_file(tmp_path, "logistic", language="en")
    german = model_file(tmp_path / "de", "logistic", language="de")
    rule_set = QualityClassifier(
        model={"en": english, "de": german}, min_score=0.5, by_language={"de": {"min_score": 0.0}}
    )
    assert rule_set.reads == ("text", "language")
    assert set(rule_set.assets()["model"]) == {"en", "de"}
    batch = documents(GOOD, GOOD, GOOD, GOOD, language=[ENGLISH, GERMAN, {"label": "fr", "score": 1.0}, None])
    measured = rule_set.measure(batch)
    assert measured["score"].is_null().to_pylist() == [False, False, True, True]
    assert [rule.only for rule in rule_set.rules()] == [("en", "de"), ("de",)]
    assert rule_set.rules()[0].but == ("de",)


@table(
    ("change", "message"),
    {
        "missing": (lambda path: {"model": path + ".gone"}, r"no classifier at .*\.gone; give the model\.bin"),
        "damaged": (lambda path: {"model": damaged(path)}, "is no classifier that winnow can use: its content"),
        "another kind": (lambda path: {"model": other(path)}, "is no classifier that winnow can use: it"),
        "normalization": (
            lambda path: {"model": path, "normalization": "none"},
            "trained with normalization: lowercase",
        ),
        "language": (lambda path: {"model": {"de": path}}, "was trained for en, not for de"),
        "label": (lambda path: {"model": path, "label": "good"}, "has no label 'good'"),
        "labels": (lambda path: {"model": path, "labels": ("good",)}, "has no label 'good'"),
    },
)
def test_a_model_that_does_not_fit(tmp_path: Path, change: Callable[[str], dict[str, Any]], message: str) -> None:
    options = change(model_file(tmp_path, "logistic", language="en"))
    with pytest.raises(InputError, match=message):
        QualityClassifier(**options).assets()


def damaged(path: str) -> str:
    content = Path(path).read_bytes()
    Path(path + ".cut").write_bytes(content[:-4])
    return path + ".cut"


def other(path: str) -> str:
    Path(path + ".json").write_text(json.dumps({"format": 1, "signals": {}}))
    return path + ".json"


@table(
    ("options", "message"),
    {
        "no model": ({"model": ""}, "model names no file"),
        "no models": ({"model": {}}, "model names no file"),
        "language": ({"model": {"en": "a.bin"}, "by_language": {"de": {"min_score": 0.1}}}, "no model for de"),
    },
)
def test_options_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        QualityClassifier(**options)


def test_a_model_for_a_language_that_never_arrives(tmp_path: Path) -> None:
    path = model_file(tmp_path, "logistic", language="de")
    recipe = f"""
version: 1
sources:
  web:
    - read: {{jsonl: {{paths: [{tmp_path}/web.jsonl]}}}}
    - filter: {{language: {{languages: [en]}}}}
    - filter: {{quality_classifier: {{model: {{de: {path}}}}}}}
"""
    with pytest.raises(RecipeError, match=r"model\.de: the language stage keeps no document in it, only en; remove it"):
        build_plan(parse(recipe, "own.yaml"))


def test_its_signals_and_limits_are_known_without_the_model() -> None:
    rule_set = QualityClassifier(model="@classifier", min_score=0.5)
    assert list(rule_set.signal_types()) == ["label", "score", "grade"]
    assert rule_set.rules() == (Rule("score", at_least=0.5),)


@pytest.mark.parametrize("kind", ["fasttext", "logistic"])
def test_two_grades_have_a_mean_but_a_score_only_of_a_label_that_is_named(tmp_path: Path, kind: str) -> None:
    path = two_grades(tmp_path, kind)
    by_grade = QualityClassifier(model=path, min_grade=2.5)
    assert list(by_grade.assets()) == ["model"]
    assert [verdict(by_grade, text) for text in (GOOD, BAD, "")] == [None, "grade:low", "grade:unmeasured"]
    with pytest.raises(InputError, match="does not say which label is the good one; give `label: 1` or 4"):
        QualityClassifier(model=path, min_score=0.5, min_grade=2.5).assets()
    by_score = QualityClassifier(model=path, label="4", min_score=0.5)
    assert list(by_score.assets()) == ["model"]
    assert [verdict(by_score, text) for text in (GOOD, BAD)] == [None, "score:low"]
