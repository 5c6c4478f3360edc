"""Quality classifiers on whole web pages: documents a second on one core, beside python-fasttext with the same model.

The models learn from one half of the test data (see `halves.py`). Both sides score every page whole, ours in batches of
1,000 documents through the filter, python-fasttext by `predict`'s own binding, each text on one line, for all labels.
"""

import argparse
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import fasttext
import numpy as np
import pyarrow as pa

from benchmarks.case import Case, apart, over
from benchmarks.classifier.halves import halves
from benchmarks.data import batches_of, megabytes_of, not_blank, shared, single_lines, texts_in
from curation.filters.quality_classifier import QualityClassifier
from curation.fit.classifier import NEGATIVE, POSITIVE, Classifier
from curation.models.classifier.model_file import load

DCLM = {"dimensions": 100, "buckets": 2_000_000, "learning_rate": 0.1, "epochs": 1}
NEAR = 1e-4  # of scores


def trained(kind: str, **options: Any) -> bytes:
    """A model that learned to tell the first half's prose from its pages."""
    first, _ = halves("main")
    fit = Classifier(kind=kind, positives="first half", negatives="first half", **options)  # type: ignore[arg-type]
    order = np.random.default_rng(0).permutation(len(first.prose))
    columns = {
        "text": first.texts.take(pa.array(order)),
        "label": np.where(first.prose, POSITIVE, NEGATIVE)[order].astype(str),
        "held_out": np.arange(len(order)) % 10 == 0,
    }
    return fit.fit(iter([pa.RecordBatch.from_pydict(columns)]))["model.bin"]


def case_of(name: str, path: str, texts: pa.Array) -> Case:
    """The model at `path` on text[N], none of which is blank."""
    model = load(path)
    label = model.metadata.positive or model.labels[0]
    case: dict[str, Any] = {
        "name": name,
        "ours": over(QualityClassifier(model=path, label=label).measure, batches_of(texts)),
        "amounts": {"documents": len(texts), "MB": megabytes_of(texts)},
    }
    if model.metadata.kind == "fasttext":
        binding: Any = fasttext.load_model(path).f
        lines = single_lines(texts)
        case |= {
            "peer": lambda: binding.multilinePredict(lines, -1, 0.0, "strict"),  # `predict` fails with NumPy 2
            "called": "python-fasttext",
            "peer_rounds": 3,
            "agree": partial(alike, f"__label__{label}"),
            "packages": ("fasttext",),
        }
    return Case(**case)


def alike(label: str, ours: list[Any], theirs: tuple[Any, Any]) -> str:
    named = [dict(zip(names, values, strict=True)) for names, values in zip(*theirs, strict=True)]
    scores = np.concatenate([np.asarray(signals["score"]) for signals in ours])
    return apart(scores, np.minimum([one.get(label, 0.0) for one in named], 1.0), NEAR)


def run(options: argparse.Namespace) -> Iterator[Case]:
    texts = not_blank(texts_in([shared("web", "pages-public-*.warc.gz")], options.documents))
    kinds: dict[str, dict[str, Any]] = {"fasttext": {}, "logistic": {}}
    kinds |= {"fasttext like DCLM": DCLM} if options.dclm else {}
    with tempfile.TemporaryDirectory() as folder:
        for name, changes in ({} if options.model else kinds).items():
            path = Path(folder, f"{name}.bin")
            path.write_bytes(trained(name.split()[0], **changes))
            yield case_of(name, str(path), texts)
    if options.model:
        yield case_of(options.model, options.model, texts)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dclm", action="store_true", help="also a fastText model of DCLM's shape (0.9 GB)")
    parser.add_argument("--model", help="a supervised fastText model to measure in place of those")
    parser.add_argument("--documents", type=int, help="so many pages, spread evenly; default: all")
