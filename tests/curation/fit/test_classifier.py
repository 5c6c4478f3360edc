"""The classifier's options, its examples, and a recipe in which a filter uses what it learned."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from curation.core.errors import InputError, RecipeError
from curation.core.fits import Examples
from curation.core.manifest import read_manifest
from curation.engine.driver import runner
from curation.engine.executor.executor import Executor
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from curation.fit.classifier import Classifier
from curation.models.classifier.metadata import unpacked
from tests.curation.models.classifier.examples import BAD, GOOD, rows, texts

BOTH: dict[str, Any] = {"positives": "good.jsonl", "negatives": "bad.jsonl"}


def test_examples_by_label() -> None:
    fit = Classifier(positives=("a", "b"), negatives=Examples(chain="web"))
    assert fit.examples() == {"positive": Examples(files=("a", "b")), "negative": Examples(chain="web")}
    labelled = Examples(files=("a",), label="verdict")
    assert Classifier(labelled=labelled).examples() == {"": labelled}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"positives": "a"}, "give positives and negatives, or labelled", id="no negatives"),
        pytest.param({}, "give positives and negatives, or labelled", id="nothing"),
        pytest.param({**BOTH, "labelled": Examples(files=("c",), label="x")}, "labelled is given besides", id="both"),
        pytest.param({"labelled": Examples(files=("c",))}, "labelled.label is missing", id="no field"),
        pytest.param({**BOTH, "positive": "x"}, "positive has an effect only with labelled", id="positive"),
        pytest.param({**BOTH, "held_out": 0.0}, "held_out is 0.0; it must lie between 0 and 1", id="nothing held out"),
        pytest.param({**BOTH, "held_out": 1.0}, "held_out is 1.0; it must lie between 0 and 1", id="all held out"),
        pytest.param({**BOTH, "epochs": 0}, "must be 1 or more", id="epochs"),
        pytest.param({**BOTH, "learning_rate": 0.0}, "learning_rate is 0.0; give a number above 0", id="rate"),
        pytest.param({**BOTH, "learning_rate": math.nan}, "learning_rate is nan; give a number", id="no rate"),
        pytest.param({**BOTH, "kind": "logistic", "buckets": 1000}, "needs a power of two", id="buckets"),
        pytest.param({**BOTH, "kind": "logistic", "word_ngrams": 6}, "logistic takes up to 5", id="n-grams"),
        pytest.param({**BOTH, "kind": "logistic", "normalization": "none"}, "none is for fasttext", id="normalization"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        Classifier(**options)


@pytest.mark.parametrize("kind", ["fasttext", "logistic"])
def test_the_model_says_how_to_ask_it(kind: Any) -> None:
    fit = Classifier(**BOTH, kind=kind, buckets=1024, language="en")
    files = fit.fit(iter([rows()]))
    metadata, _ = unpacked(files[fit.asset])
    assert metadata is not None
    assert (metadata.positive, metadata.language, metadata.labels) == ("positive", "en", ("negative", "positive"))
    assert metadata.normalization == {"fasttext": "none", "logistic": "lowercase"}[kind]
    report = json.loads(files["report.json"])
    assert report["data"]["positive"]["from"] == "good.jsonl"
    assert report["classifier"]["learning_rate"] == fit.rate


def test_labelled_examples_with_and_without_a_good_label() -> None:
    labelled = Examples(files=("all.parquet",), label="verdict", where="year > 2000")
    options: Mapping[str, Any] = {"labelled": labelled, "kind": "logistic", "buckets": 1024}
    with_good = json.loads(Classifier(**options, positive="positive").fit(iter([rows()]))["report.json"])
    assert list(with_good["evaluation"]) == ["positive"]
    assert with_good["data"]["negative"]["from"] == "all.parquet where year > 2000"
    without = json.loads(Classifier(**options).fit(iter([rows()]))["report.json"])
    assert list(without["evaluation"]) == ["negative", "positive"]


RECIPE = """
version: 1
sources:
  web:
    - read: {{jsonl: {{paths: [{folder}/web.jsonl]}}}}
    - fit:
        classifier: {{kind: logistic, buckets: 4096, positives: {folder}/good.jsonl, negatives: {negatives}}}
    - filter: {{quality_classifier: {{model: "@classifier", min_score: 0.5}}}}
"""


def write(path: Path, values: list[str]) -> None:
    path.write_text("".join(json.dumps({"id": str(n), "text": text}) + "\n" for n, text in enumerate(values)))


def curate(
    folder: Path, negatives: str, name: str = "run", *, recipe: str = RECIPE, executor: Executor | None = None
) -> Path:
    write(folder / "good.jsonl", texts(GOOD, 120))
    write(folder / "bad.jsonl", texts(BAD, 120))
    write(folder / "web.jsonl", [*texts(GOOD, 150)[120:], *texts(BAD, 200)[120:]])
    document = recipe.format(folder=folder, negatives=negatives)
    runner.curate(parse(document, "own.yaml"), str(folder / name), executor or Inline())
    return folder / name


@pytest.mark.parametrize(
    ("negatives", "least"),
    [
        pytest.param("'{folder}/bad.jsonl'", 30, id="files"),
        pytest.param("{{}}", 20, id="the chain's own"),  # among which the good ones are, too
    ],
)
def test_a_recipe_keeps_what_its_classifier_takes_for_good(tmp_path: Path, negatives: str, least: int) -> None:
    run = curate(tmp_path, negatives.format(folder=tmp_path))
    (folder,) = run.glob("*-classifier-*")
    manifest = read_manifest(str(folder))
    assert manifest is not None
    assert manifest.asset is not None
    assert set(manifest.asset["files"]) == {"model.bin", "report.json", "card.md", "calibration.png"}
    (part,) = next(run.glob("*-quality_classifier-*")).glob("*.parquet")
    reasons = pq.read_table(part)["drop_reason"].to_pylist()
    assert reasons[30:] == ["quality_classifier.score:low"] * 80
    assert reasons[:30].count(None) >= least
    (other,) = curate(tmp_path, negatives.format(folder=tmp_path), "again").glob("*-classifier-*")
    assert all((other / name).read_bytes() == (folder / name).read_bytes() for name in manifest.asset["files"])


def test_the_best_tenth_by_a_quantile_of_the_scores(tmp_path: Path) -> None:
    marks = RECIPE.rpartition("    - filter")[0]
    best = RECIPE.rpartition("    - filter")[2]
    fits = """
    - filter: {{quality_classifier: {{model: "@classifier"}}}}
      name: marks
    - fit: {{quantiles: {{signals: [quality_classifier.score]}}}}
    - filter"""
    run = curate(
        tmp_path, f"{tmp_path}/bad.jsonl", recipe=marks.rstrip() + fits + best.replace("0.5", '"@quantiles p90"')
    )
    (part,) = next(run.glob("*-quality_classifier-*")).glob("*.parquet")
    table = pq.read_table(part)
    scores = [signals["score"] for signals in table["quality_classifier"].to_pylist()]
    kept = [score for score, reason in zip(scores, table["drop_reason"].to_pylist(), strict=True) if reason is None]
    assert sorted(kept) == sorted(scores)[-12:]  # of 110, from the value of the 99th on


def test_positives_that_are_also_negatives(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="are also examples of another label; the labels would say nothing"):
        curate(tmp_path, f"'{tmp_path}/good.jsonl'")
