"""What a classifier is, and how it scores documents that nobody has labelled."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import numpy as np
import pyarrow as pa

from curation.models.classifier.evaluation import THRESHOLDS
from curation.models.classifier.model_file import TextClassifier
from curation.models.extremes import Extremes
from curation.models.quantiles import percentiles


def inspect(model: TextClassifier, texts: Iterable[pa.Array], *, label: str = "") -> dict[str, Any]:
    """Facts of the model; where there are `texts` also `scores`: documents, quantiles, the share that each threshold
    keeps, the likeliest labels, the beginnings of the best and the worst documents, and quantiles of the grade where
    labels are numbers."""
    facts = {**asdict(model.metadata), "labels": list(model.labels), "file_bytes": model.file_bytes}
    facts["from_winnow"] = not model.foreign
    values = [np.empty(0)]
    labels = dict.fromkeys(model.labels, 0)
    extremes = Extremes()
    grades = [np.empty(0)]
    for array in texts:
        judged = model.judge(array, label)
        values.append(judged.scores)
        grades.append(judged.grades)
        for name in judged.labels:
            labels[name] = labels.get(name, 0) + 1
        extremes.add(array, judged.scores)
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
        **extremes.facts(),
    }
    if model.numbers:
        known = np.concatenate(grades)
        facts["scores"]["grades"] = percentiles(known[~np.isnan(known)])
    return facts
