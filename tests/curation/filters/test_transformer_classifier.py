"""The transformer classifier: its signals and limits, options that do not fit the model, and a run."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from curation.core.component import needs_of
from curation.core.errors import InputError, RecipeError
from curation.engine.driver import runner
from curation.engine.driver.dry_run import dry_run
from curation.engine.executor.inline import Inline
from curation.engine.recipe import libraries
from curation.engine.recipe.address import hashes
from curation.engine.recipe.assets import located
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import parse
from curation.filters.transformer_classifier import HELD, TransformerClassifier
from tests.curation.models.sequence_classifier.tiny import tiny_classifier
from tests.support import documents, verdict

TEXT = "The people read."


@pytest.fixture(scope="module")
def regression(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny_classifier(tmp_path_factory.mktemp("regression"))


@pytest.fixture(scope="module")
def topics(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny_classifier(tmp_path_factory.mktemp("topics"), labels=("news", "maths", "spam"))


def test_a_score_and_its_limits(regression: str) -> None:
    measured = TransformerClassifier(model=regression).measure(documents(TEXT, "", None))
    (score, *rest) = measured["score"].to_pylist()
    assert list(measured) == ["score"]
    assert rest == [None, None]
    assert verdict(TransformerClassifier(model=regression, min_score=score, max_score=score), TEXT) is None
    assert verdict(TransformerClassifier(model=regression, min_score=score + 1e-6), TEXT) == "score:low"
    assert verdict(TransformerClassifier(model=regression, max_score=score - 1e-6), TEXT) == "score:high"
    assert verdict(TransformerClassifier(model=regression, min_score=-99), "") == "score:unmeasured"
    assert TransformerClassifier(model=regression).rules() == ()


def test_a_label_and_its_limits(topics: str) -> None:
    measured = TransformerClassifier(model=topics).measure(documents(TEXT, ""))
    best = measured["label"][0].as_py()
    shares = {
        name: TransformerClassifier(model=topics, label=name).measure(documents(TEXT))["score"][0].as_py()
        for name in ("news", "maths", "spam")
    }
    assert sum(shares.values()) == pytest.approx(1)
    assert best == max(shares, key=lambda name: shares[name])
    assert measured["score"][0].as_py() == shares[best]
    assert (measured["label"][1].as_py(), measured["score"][1].as_py()) == (None, None)
    others = tuple(sorted(set(shares) - {best}))
    assert verdict(TransformerClassifier(model=topics, labels=(best,)), TEXT) is None
    assert verdict(TransformerClassifier(model=topics, labels=others), TEXT) == "label:not_in"
    assert verdict(TransformerClassifier(model=topics, labels=others), "") == "label:unmeasured"


def test_what_a_task_takes(regression: str) -> None:
    weights = (Path(regression) / "model.safetensors").stat().st_size
    for gpus in (0.0, 0.5, 2.0):
        rule_set = TransformerClassifier(model=regression, num_gpus=gpus)
        assert (needs_of([rule_set]).num_gpus, needs_of([rule_set]).memory) == (gpus, HELD + 3 * weights)


def test_recipes_without_it_never_import_torch_or_transformers() -> None:
    code = "import sys, curation.filters.transformer_classifier as _; print({'torch', 'transformers'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_its_files_are_hashed_wherever_they_lie(regression: str, tmp_path: Path) -> None:
    rule_set = TransformerClassifier(model=regression)
    shutil.copytree(regression, tmp_path / "copy")
    elsewhere = located(TransformerClassifier(model=str(tmp_path / "copy")))
    assert isinstance(elsewhere.model, tuple)
    assert hashes((("t", rule_set),)) == hashes((("t", elsewhere),))
    assert elsewhere.measure(documents(TEXT)) == rule_set.measure(documents(TEXT))


def test_settings_that_cannot_be() -> None:
    with pytest.raises(RecipeError, match="model names no folder: give one that"):
        TransformerClassifier(model="")
    with pytest.raises(RecipeError, match="max_tokens is 7; give 8 or more"):
        TransformerClassifier(model="m", max_tokens=7)
    for gpus in (-1.0, 1.5, float("inf"), float("nan")):
        with pytest.raises(RecipeError, match=r"num_gpus is .*; give 0, a fraction of 1, or a whole number"):
            TransformerClassifier(model="m", num_gpus=gpus)


RECIPE = """
version: 1
name: scored
sources:
  web:
    - read: {jsonl: {paths: ["%s/*.jsonl"]}}
    - filter: {transformer_classifier: {model: %s, %s}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    texts = ["the people of the town", "whales sail the deep sea", ""]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return tmp_path


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("max_tokens: 513", "max_tokens is 513; .* takes 512 at most"),
        ("labels: [spam]", "has one output and no labels; limit it by min_score and max_score"),
        ("label: spam", "has one output and no labels"),
    ],
)
def test_options_that_do_not_fit_the_model(folder: Path, regression: str, options: str, message: str) -> None:
    with pytest.raises(RecipeError, match=f"^m:7: sources.web.1.filter.transformer_classifier.model: .*{message}"):
        build_plan(parse(RECIPE % (folder, regression, options), "m"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("raw: true", "raw is for models with one output; .* has news, maths, spam"),
        ("label: new", "no label 'new'; did"),
    ],
)
def test_options_that_do_not_fit_a_model_with_labels(folder: Path, topics: str, options: str, message: str) -> None:
    with pytest.raises(RecipeError, match=f"^m:7: .*{message}"):
        build_plan(parse(RECIPE % (folder, topics, options), "m"))


def test_a_folder_that_is_missing_is_refused_before_work(folder: Path) -> None:
    with pytest.raises(
        RecipeError, match=r"^m:7: sources.web.1.filter.transformer_classifier.model: no model's folder at"
    ):
        build_plan(parse(RECIPE % (folder, "nowhere", "min_score: 1"), "m"))


def test_without_the_extra_one_line_says_what_to_install(
    folder: Path, regression: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def version(name: str) -> str:
        if name in ("torch", "transformers"):
            raise libraries.PackageNotFoundError(name)
        return "1"

    monkeypatch.setattr(libraries, "version", version)
    with pytest.raises(RecipeError) as caught:
        build_plan(parse(RECIPE % (folder, regression, "min_score: 1"), "m"))
    assert str(caught.value) == (
        "m:7: sources.web.1.filter.transformer_classifier: needs transformers, torch, not installed here; "
        "run `pip install -c constraints.txt -e '.[transformers]'` in winnow's folder"
    )


def test_a_run_says_where_the_model_runs(folder: Path, regression: str) -> None:
    recipe = parse(RECIPE % (folder, regression, "min_score: -99"), "m")
    planned = dry_run(recipe, str(folder / "run"))[-1]
    size = (Path(regression) / "model.safetensors").stat().st_size / 1e6
    assert planned.notes == (
        f"BertForSequenceClassification of {size:.1f} MB, 512 tokens: 1 core for each task, float32",
    )
    run = runner.curate(recipe, str(folder / "run"), Inline())
    assert run.complete
    funnel = json.loads(next((folder / "run").glob("*-transformer_classifier-*/_manifest.json")).read_text())
    assert "transformer_classifier.score:unmeasured" in json.dumps(funnel)


def test_a_model_that_lost_its_head_stops_the_run_in_one_line(folder: Path) -> None:
    from tests.curation.models.sequence_classifier.test_scoring import without_head

    model = tiny_classifier(folder / "model")
    without_head(folder / "model")
    with pytest.raises(InputError, match="lacks 2 of the weights of a BertForSequenceClassification"):
        runner.curate(parse(RECIPE % (folder, model, "min_score: 1"), "m"), str(folder / "run"), Inline())
