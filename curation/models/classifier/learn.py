"""Learns a classifier from labelled documents, judges it on those held out, and writes all that is to be known of it.

Seconds and dates are left out: the same documents and options give the same files.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from math import isnan
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.errors import InputError
from curation.models.agreement import agreement
from curation.models.classifier import fasttext_training, logistic, plot
from curation.models.classifier.card import card
from curation.models.classifier.evaluation import Evaluation, evaluate
from curation.models.classifier.metadata import Kind, Metadata, Normalization, packed, unpacked
from curation.models.classifier.model_file import TextClassifier
from curation.models.fasttext.labels import Scores
from curation.text.normalize import normalized
from curation.text.text_hash import text_hashes

DIGITS = 9  # of figures in the report
MODEL = "model.bin"
REPORT = "report.json"
CARD = "card.md"
PLOT = "calibration.png"


@dataclass(frozen=True, kw_only=True)
class LearningTask:
    """What is learned and how; `positive` is empty where no label is the good one."""

    kind: Kind
    normalization: Normalization
    word_ngrams: int
    buckets: int
    epochs: int
    learning_rate: float
    dimensions: int
    min_count: int
    seed: int
    positive: str = ""
    language: str = ""


def learn(rows: Iterable[pa.RecordBatch], training: LearningTask, origins: Mapping[str, str]) -> Mapping[str, bytes]:
    """MODEL, REPORT, CARD and PLOT from batches of `text`, `label: string` and `held_out: bool`.

    `origins` says in words where the documents of each label come from, "" of any label. Raises InputError for a single
    label, and for one without documents to learn from or to be judged by.
    """
    batches = list(rows)
    table = pa.Table.from_batches(batches) if batches else pa.table({"text": [], "label": [], "held_out": []})
    labels = _checked(table, training)
    content = packed(
        _metadata(training, labels), _trained(table.filter(pc.invert(table["held_out"])), training, labels)
    )
    model = TextClassifier(*_unpacked(content))
    held_out = table.filter(table["held_out"])
    truth = np.asarray(held_out["label"].to_pylist(), np.object_)
    scores = np.concatenate([model.probabilities(batch["text"]) for batch in held_out.to_batches()])
    known = ~np.isnan(scores).any(axis=1)
    if not known.any():
        raise InputError("none of the documents held out can be scored: they have no word, or none that is known")
    right = np.array(model.labels, np.object_)[np.nan_to_num(scores).argmax(axis=1)] == truth
    judged = _judged(model, scores, truth, training)
    report = {
        "classifier": {**asdict(training), "labels": model.labels, "sha256": hashlib.sha256(content).hexdigest()},
        "data": _fingerprints(table, labels, origins),
        "accuracy": float(np.mean(known & right)),
        "evaluation": {label: asdict(evaluation) for label, evaluation in judged.items()},
        **_agreement(model, scores, truth),
    }
    drawn = next(iter(judged))
    own = scores[:, model.labels.index(drawn)]
    return {
        MODEL: content,
        REPORT: (json.dumps(_plain(report), indent=1, ensure_ascii=False) + "\n").encode(),
        CARD: card(report).encode(),
        PLOT: plot.png(f"{training.kind}: {drawn} against the rest", own, truth == drawn, judged[drawn]),
    }


def _checked(table: pa.Table, training: LearningTask) -> list[str]:
    """The labels, in order."""
    labels: list[str] = sorted(set(table["label"].to_pylist()))
    if training.positive and training.positive not in labels:
        raise InputError(
            f"there is no example with the label {training.positive!r}, only {', '.join(labels) or 'none'}"
        )
    if len(labels) < 2:
        raise InputError(
            f"every example has the label {labels[0]!r}; a classifier learns to tell two or more apart"
            if labels
            else "there are no examples to learn from"
        )
    if training.kind == "logistic" and len(labels) > 2:
        raise InputError(f"logistic tells two labels apart, and the examples have {len(labels)}; use kind: fasttext")
    for held_out, use in ((False, "learn from"), (True, "be judged by")):
        some = set(table.filter(pc.equal(table["held_out"], held_out))["label"].to_pylist())
        lacking = [label for label in labels if label not in some]
        if lacking:
            raise InputError(f"no document of {lacking[0]!r} is left to {use}; give more examples, or change held_out")
    return labels


def _metadata(training: LearningTask, labels: list[str]) -> Metadata:
    options = {"ngrams": training.word_ngrams, "buckets": training.buckets, "seed": training.seed}
    return Metadata(
        kind=training.kind,
        labels=tuple(labels),
        positive=training.positive,
        normalization=training.normalization,
        language=training.language,
        options=options if training.kind == "logistic" else {},
    )


def _unpacked(content: bytes) -> tuple[Metadata, bytes]:
    metadata, body = unpacked(content)
    assert metadata is not None, "it was packed with metadata"
    return metadata, body


def _trained(table: pa.Table, training: LearningTask, labels: list[str]) -> bytes:
    if training.kind == "logistic":
        positive = training.positive or labels[1]
        weights = logistic.train(
            table["text"],
            np.asarray(pc.equal(table["label"], positive)),
            ngrams=training.word_ngrams,
            buckets=training.buckets,
            seed=training.seed,
            epochs=training.epochs,
            rate=training.learning_rate,
        )
        return weights.astype("<f4").tobytes()
    return fasttext_training.train(
        _normalized(table, training.normalization),
        dim=training.dimensions,
        wordNgrams=training.word_ngrams,
        bucket=training.buckets,
        epoch=training.epochs,
        lr=training.learning_rate,
        minCount=training.min_count,
        seed=training.seed,
    )


def _normalized(table: pa.Table, normalization: Normalization) -> Iterator[tuple[pa.Array, pa.Array]]:
    for batch in table.to_batches():
        text = batch["text"]
        yield (normalized(text) if normalization == "lowercase" else text), batch["label"]


def _judged(model: TextClassifier, scores: Scores, truth: Any, training: LearningTask) -> dict[str, Evaluation]:
    """By label: the positive one alone where there is one, else each against all others."""
    chosen = [training.positive] if training.positive else list(model.labels)
    return {
        label: evaluate(np.ascontiguousarray(scores[:, model.labels.index(label)]), truth == label) for label in chosen
    }


def _agreement(model: TextClassifier, scores: Scores, truth: Any) -> dict[str, Any]:
    """Where labels are a teacher's scores: how its student's grades agree with them."""
    if len(model.numbers) < 3:
        return {}
    lowest = min(model.numbers)
    highest = max(model.numbers)
    figures = agreement(truth.astype(np.int64), model.grades(scores), lowest=lowest, highest=highest)
    cuts = [{"cut": cut.cut, "precision": cut.precision, "recall": cut.recall, "f1": cut.f1} for cut in figures.cuts]
    return {"agreement": {**asdict(figures), "cuts": cuts}}


def _fingerprints(table: pa.Table, labels: list[str], origins: Mapping[str, str]) -> dict[str, dict[str, object]]:
    """By label: where its documents come from, how many they are, and a hash of which they are."""
    prints: dict[str, dict[str, object]] = {}
    for label in labels:
        own = table.filter(pc.equal(table["label"], label))
        hashes = sorted(text_hashes(own["text"]).to_pylist())
        held_out = int(pc.sum(own["held_out"]).as_py())
        prints[label] = {
            "from": origins.get(label, origins.get("", "")),
            "documents": own.num_rows - held_out,
            "held_out": held_out,
            "bytes": int(pc.sum(pc.binary_length(own["text"])).as_py()),
            "sha256": hashlib.sha256("\n".join(hashes).encode()).hexdigest(),
        }
    return prints


def _plain(value: Any) -> Any:
    """The value as JSON has it: null for NaN, and no digits in which processors differ."""
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float):
        return None if isnan(value) else float(f"{value:.{DIGITS}g}")
    return value
