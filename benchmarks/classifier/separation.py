"""How well models that learned from one half of the test data tell prose from raw web pages in the other half.

The halves are described in `halves.py`. Options are the defaults of `fit: {classifier: …}` and `fit: {ngram_model: …}`;
those of classifiers were chosen on documents held out of the first half. The n-gram model learns from the first half's
prose that is not held out, and a document's score is minus its log perplexity. `both` adds that to the logit of the
fastText score, with weights of a logistic regression on the documents held out of the first half.

Rows are of `all` documents of the second half, of those in `english`, and of those of the first half that were
`held_out`.
"""

import argparse
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.case import Figures
from benchmarks.classifier.halves import Half, halves
from curation.filters.perplexity import Perplexity
from curation.fit.classifier import NEGATIVE, POSITIVE, Classifier
from curation.fit.ngram_model import NgramModel
from curation.models.classifier.evaluation import evaluate
from curation.models.classifier.metadata import unpacked
from curation.models.classifier.model_file import TextClassifier
from curation.text.text_hash import text_keys

Scores = npt.NDArray[np.float64]
HELD_OUT = 0.1


@lru_cache(maxsize=2)
def _rows(crawl: str) -> pa.RecordBatch:
    """The first half as a fit is shown it: in the order of the hashes of the texts."""
    first = halves(crawl)[0]
    hi, lo, _ = text_keys(first.texts)
    order = np.lexsort((lo, hi))
    labels = np.where(first.prose, POSITIVE, NEGATIVE)[order]
    columns = {"text": first.texts.take(pa.array(order)), "label": pa.array(labels, pa.string())}
    return pa.record_batch({**columns, "held_out": pa.array(lo[order] < np.uint64(HELD_OUT * 2**64))})


def trained(kind: str, crawl: str = "main", **options: Any) -> Mapping[str, bytes]:
    """The files of a classifier that learned from the first half."""
    fit = Classifier(kind=kind, positives="first half", negatives="first half", held_out=HELD_OUT, **options)  # type: ignore[arg-type]
    return fit.fit(iter([_rows(crawl)]))


def measure(crawl: str) -> dict[str, dict[str, dict[str, float]]]:
    """Model -> documents -> figures."""
    rows = _rows(crawl)
    held_out = rows.filter(rows["held_out"])
    own = Half(held_out["text"], np.asarray(held_out["label"].to_pylist()) == POSITIVE)
    judged = {"all": halves(crawl)[1], "english": halves(crawl)[1].english(), "held_out": own}
    figures: dict[str, dict[str, dict[str, float]]] = {}
    scores: dict[str, dict[str, Scores]] = {}
    for kind in ("fasttext", "logistic"):
        metadata, body = unpacked(trained(kind, crawl)["model.bin"])
        assert metadata is not None, "it was made here"
        model = TextClassifier(metadata, body)
        scores[kind] = {name: np.asarray(model.judge(half.texts).scores) for name, half in judged.items()}
    with TemporaryDirectory() as folder:
        scores["perplexity"] = _fluency(rows.filter(pc.invert(rows["held_out"])), judged, Path(folder, "model.arpa"))
    scores["both"] = _together(scores["fasttext"], scores["perplexity"], own.prose)
    for kind, by_name in scores.items():
        figures[kind] = {name: _figures(by_name[name], half, kind) for name, half in judged.items()}
    return figures


def _fluency(rows: pa.RecordBatch, judged: Mapping[str, Half], path: Path) -> dict[str, Scores]:
    """Minus the log perplexity by a model of the prose in `rows`; a text without a token has the least."""
    fit = NgramModel(normalization="ccnet")
    prose = rows.filter(pc.equal(rows["label"], POSITIVE)).select(["text"])
    path.write_bytes(fit.finish([fit.merge(fit.count(iter([prose])))])[fit.asset])
    perplexity = Perplexity(models=str(path))
    signals = {name: perplexity.measure(pa.record_batch({"text": half.texts})) for name, half in judged.items()}
    return {name: -np.log(np.asarray(pc.fill_null(signal["perplexity"], 1e9))) for name, signal in signals.items()}


def _together(
    classifier: Mapping[str, Scores], fluency: Mapping[str, Scores], truth: npt.NDArray[np.bool_]
) -> dict[str, Scores]:
    """A weighted sum, with the weights that a logistic regression has on the documents `held_out`."""
    features = {name: _features(classifier[name], fluency[name]) for name in classifier}
    weights = np.zeros(3)
    for _ in range(50):  # Newton's steps, with a small penalty since the classes may be separable
        rate = 1 / (1 + np.exp(-features["held_out"] @ weights))
        slope = features["held_out"].T @ (truth - rate) - 1e-2 * weights
        weights += np.linalg.solve(
            (features["held_out"].T * (rate * (1 - rate))) @ features["held_out"] + 1e-2 * np.eye(3), slope
        )
    return {name: values @ weights for name, values in features.items()}


def _features(scores: Scores, fluency: Scores) -> npt.NDArray[np.float64]:
    """float64[N, 3]: logit, minus the log perplexity, 1."""
    chance = np.clip(np.nan_to_num(scores), 1e-6, 1 - 1e-6)
    return np.column_stack([np.log(chance / (1 - chance)), fluency, np.ones(len(scores))])


def _figures(scores: Scores, half: Half, kind: str) -> dict[str, float]:
    ranks = np.argsort(np.argsort(scores, kind="stable"), kind="stable") / max(len(scores), 1)
    probable = kind in ("fasttext", "logistic")
    result = evaluate(scores if probable else ranks, half.prose)
    figures = {
        "documents": result.documents,
        "prose": result.positives,
        "auc": result.auc,
        "average_precision": result.average_precision,
    }
    return figures | ({"calibration_error": result.calibration_error, "best_f1": result.best.f1} if probable else {})


def run(_: argparse.Namespace) -> Iterator[Figures]:
    for crawl in ("visible", "main"):
        found = measure(crawl).items()
        rows = {f"{kind}, {name}": row for kind, several in found for name, row in several.items()}
        yield Figures(f"prose against the {crawl} text of web pages", rows)
