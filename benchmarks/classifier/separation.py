"""How well classifiers that learned from one half of the test data tell prose from raw web pages in the other half.

    python -m benchmarks.classifier.separation

The halves are described in `halves.py`. Options are the defaults of `fit: {classifier: …}`, which were chosen on
documents held out of the first half. In the JSON file, by kind of model and for `all` documents, those of the second
half in `english`, and those of the first half that were `held_out`: `documents`, `prose`, `auc`, `average_precision`,
`calibration_error` and `best_f1`.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
from rich.console import Console

from benchmarks.classifier.halves import Half, halves
from benchmarks.figures import command_line, empty_table, write_json
from curation.fit.classifier import NEGATIVE, POSITIVE, Classifier
from curation.models.classifier.evaluation import evaluate
from curation.models.classifier.metadata import unpacked
from curation.models.classifier.model_file import TextClassifier
from curation.text.text_hash import text_keys

HELD_OUT = 0.1


@lru_cache(maxsize=2)
def _rows() -> pa.RecordBatch:
    """The first half as a fit is shown it: in the order of the hashes of the texts."""
    first = halves()[0]
    hi, lo, _ = text_keys(first.texts)
    order = np.lexsort((lo, hi))
    labels = np.where(first.prose, POSITIVE, NEGATIVE)[order]
    columns = {"text": first.texts.take(pa.array(order)), "label": pa.array(labels, pa.string())}
    return pa.record_batch({**columns, "held_out": pa.array(lo[order] < np.uint64(HELD_OUT * 2**64))})


def trained(kind: str, **options: Any) -> Mapping[str, bytes]:
    """The files of a classifier that learned from the first half."""
    fit = Classifier(kind=kind, positives="first half", negatives="first half", held_out=HELD_OUT, **options)  # type: ignore[arg-type]
    return fit.fit(iter([_rows()]))


def measure(kind: str) -> dict[str, dict[str, float]]:
    metadata, body = unpacked(trained(kind)["model.bin"])
    assert metadata is not None, "it was made here"
    model, rows, second = TextClassifier(metadata, body), _rows(), halves()[1]
    held_out = rows.filter(rows["held_out"])
    own = Half(held_out["text"], np.asarray(held_out["label"].to_pylist()) == POSITIVE)
    return {
        name: _figures(model, half)
        for name, half in (("all", second), ("english", second.english()), ("held_out", own))
    }


def _figures(model: TextClassifier, half: Half) -> dict[str, float]:
    result = evaluate(model.judge(half.texts).scores, half.prose)
    return {
        "documents": result.documents,
        "prose": result.positives,
        "auc": result.auc,
        "average_precision": result.average_precision,
        "calibration_error": result.calibration_error,
        "best_f1": result.best.f1,
    }


def show(figures: dict[str, dict[str, dict[str, float]]]) -> None:
    columns = ("documents", "prose", "AUC", "average precision", "calibration error", "best F1")
    table = empty_table("prose against raw web pages", "model, documents", *columns)
    for kind, several in figures.items():
        for name, row in several.items():
            counts = [f"{row['documents']:,}", f"{row['prose']:,}"]
            rest = [f"{row[key]:.4f}" for key in ("auc", "average_precision", "calibration_error", "best_f1")]
            table.add_row(f"{kind}, {name}", *counts, *rest)
    Console().print(table)


def main() -> None:
    options = command_line("classifier.separation", __doc__).parse_args()
    figures = {kind: measure(kind) for kind in ("fasttext", "logistic")}
    show(figures)
    write_json(figures, options.json)


if __name__ == "__main__":
    main()
