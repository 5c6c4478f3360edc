"""What a classifier is, and how it scores documents that nobody has labelled."""

import hashlib
import heapq
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import numpy as np
import pyarrow as pa

from curation.models.classifier.evaluation import THRESHOLDS
from curation.models.classifier.model_file import TextClassifier
from curation.models.quantiles import percentiles

EXAMPLES, CHARACTERS = 5, 120


def inspect(model: TextClassifier, texts: Iterable[pa.Array], *, label: str = "") -> dict[str, Any]:
    """Facts of the model; where there are `texts` also `scores`: documents, quantiles, the share that each threshold
    keeps, the likeliest labels, and the beginnings of the best and the worst documents."""
    facts = {**asdict(model.metadata), "labels": list(model.labels), "file_bytes": model.file_bytes}
    facts["from_winnow"] = not model.foreign
    values, labels = [np.empty(0)], dict.fromkeys(model.labels, 0)
    best: list[tuple[float, str, str]] = []
    worst: list[tuple[float, str, str]] = []
    for array in texts:
        judged = model.judge(array, label)
        values.append(judged.scores)
        for name in judged.labels:
            labels[name] = labels.get(name, 0) + 1
        for row in np.flatnonzero(~np.isnan(judged.scores)).tolist():
            text, score = array[row].as_py(), float(judged.scores[row])
            entry = (hashlib.sha256(text.encode(errors="replace")).hexdigest(), text[:CHARACTERS])
            for heap, rank in ((best, score), (worst, -score)):
                (heapq.heappush if len(heap) < EXAMPLES else heapq.heappushpop)(heap, (rank, *entry))
    scores = np.concatenate(values)
    measured = np.sort(scores[~np.isnan(scores)])
    if not len(measured):
        return facts
    facts["scores"] = {
        "label": label or model.metadata.positive or "the likeliest",
        "documents": len(scores),
        "unscored": len(scores) - len(measured),
        "quantiles": percentiles(measured),
        "kept": {f"{cut:g}": float(np.mean(measured >= cut)) for cut in THRESHOLDS},
        "likeliest": {str(name): count for name, count in labels.items() if name is not None},
        "best": [{"score": rank, "text": text} for rank, _, text in sorted(best, reverse=True)],
        "worst": [{"score": -rank, "text": text} for rank, _, text in sorted(worst, reverse=True)],
    }
    return facts
