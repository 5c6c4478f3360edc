"""How well models that learned from one half of the test data tell prose from raw web pages in the other half.

The halves are described in `halves.py`. Options are the defaults of `fit: {classifier: …}` and `fit: {ngram_model: …}`;
those of classifiers were chosen on documents held out of the first half. The n-gram model learns from the first half's
prose that is not held out, and a document's score is minus its log perplexity.

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


def measure(crawl: str) -> dict[str, dict[str, float]]:
    """ "Model, documents" -> figures."""
    rows = _rows(crawl)
    held_out = rows.filter(rows["held_out"])
    own = Half(held_out["text"], np.asarray(held_out["label"].to_pylist()) == POSITIVE)
    second = halves(crawl)[1]
    judged = {"all": second, "english": second.english(), "held_out": own}
    figures = {}
    for kind in ("fasttext", "logistic"):
        metadata, body = unpacked(trained(kind, crawl)["model.bin"])
        assert metadata is not None, "it was made here"
        model = TextClassifier(metadata, body)
        for name, half in judged.items():
            figures[f"{kind}, {name}"] = _figures(np.asarray(model.judge(half.texts).scores), half)
    with TemporaryDirectory() as folder:
        fluency = _perplexity(rows.filter(pc.invert(rows["held_out"])), Path(folder, "model.arpa"))
        for name, half in judged.items():
            value = fluency.measure(pa.record_batch({"text": half.texts}))["perplexity"]
            ranks = np.argsort(np.argsort(-np.asarray(pc.fill_null(value, 1e9)), kind="stable"), kind="stable")
            figures[f"perplexity, {name}"] = _figures(ranks / max(len(ranks), 1), half)
            del figures[f"perplexity, {name}"]["calibration_error"]  # ranks are no probabilities
    return figures


def _perplexity(rows: pa.RecordBatch, path: Path) -> Perplexity:
    """By a model of the prose in `rows`; a text without a token has none."""
    fit = NgramModel(normalization="ccnet")
    prose = rows.filter(pc.equal(rows["label"], POSITIVE)).select(["text"])
    path.write_bytes(fit.finish([fit.merge(fit.count(iter([prose])))])[fit.asset])
    return Perplexity(models=str(path))


def _figures(scores: Scores, half: Half) -> dict[str, float]:
    result = evaluate(scores, half.prose)
    names = ("documents", "positives", "auc", "average_precision", "calibration_error")
    return {name: getattr(result, name) for name in names}


def run(_: argparse.Namespace) -> Iterator[Figures]:
    for crawl in ("visible", "main"):
        yield Figures(f"prose against the {crawl} text of web pages", measure(crawl))
