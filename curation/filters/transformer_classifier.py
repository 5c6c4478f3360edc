"""Transformer classifier: keep documents by the score or the label that a Hugging Face model gives them.

Source: Penedo et al. 2024, "The FineWeb Datasets" (arXiv:2406.17557), section 4: a model with one output is trained on
scores of educational value from 0 to 5, and documents of 3 and more are kept.

    - filter: {transformer_classifier: {model: models/fineweb-edu-classifier, min_score: 2.5, num_gpus: 1}}
    - filter: {transformer_classifier: {model: models/topics, labels: [science, history]}}

The model is the folder of any `…ForSequenceClassification` of the library `transformers`, with its tokenizer. Nothing
is downloaded, and no code of a model's own is run. As in the library's pipeline, a model with one output measures
`score`: its value if its configuration says `regression`, or with `raw: true`; else the sigmoid of it. One with several
measures `label`, the best, and `score`, the probability of that label or of the one that the option `label` names.

A document's first `max_tokens` tokens count, of at most 64 bytes each on average; a text without a token is unmeasured.
Its values never depend on its neighbours: see `curation/models/sequence_classifier/scoring.py`. With `num_gpus: 0` a
task runs on one core, in 32-bit floats. With a GPU, or a part of one (0.5: two tasks share it), it runs in bfloat16, as
FineWeb-Edu's scores were made; a score near 3 is then a multiple of 1/64. It needs the extra `transformers`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa

from curation.core.close_names import nearest
from curation.core.component import Signals
from curation.core.errors import InputError, RecipeError
from curation.core.filter import Filter
from curation.core.limits import Limit
from curation.core.needs import Needs
from curation.models.sequence_classifier.folder import opened
from curation.models.sequence_classifier.scoring import load

LEAST_TOKENS = 8
HELD = 2 << 30  # bytes of memory besides the weights


@dataclass(frozen=True, kw_only=True)
class TransformerClassifier(Filter):
    """The model, where it runs, and limits."""

    model: Annotated[
        str | tuple[str, ...], "folder that `save_pretrained` wrote, on a disk of every node; or its files"
    ]
    num_gpus: Annotated[float, "of a task; 0: it runs on a core"] = 0.0
    max_tokens: Annotated[int, "of a document, those that the tokenizer adds included; later ones are not read"] = 512
    raw: Annotated[bool, "of a model with one output: its value, without a sigmoid"] = False
    label: Annotated[str, 'of several: the one whose probability is `score`; "": the best'] = ""
    labels: Annotated[tuple[str, ...], "of several: those that a kept document may have as its best; (): any"] = ()
    min_score: Annotated[float, "the model's output, or the probability of `label`"] = -inf
    max_score: Annotated[float, "the same"] = inf

    limits: ClassVar[tuple[Limit, ...]] = (
        Limit("label", one_of="labels"),
        Limit("score", least="min_score", most="max_score"),
    )
    libraries: ClassVar[tuple[str, ...]] = ("transformers", "torch", "tokenizers")
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if not self.model:
            raise RecipeError("model names no folder: give one that `save_pretrained` wrote")
        if self.max_tokens < LEAST_TOKENS:
            raise RecipeError(f"max_tokens is {self.max_tokens}; give {LEAST_TOKENS} or more")
        if not 0 <= self.num_gpus < inf or (self.num_gpus > 1 and self.num_gpus % 1):
            raise RecipeError(f"num_gpus is {self.num_gpus}; give 0, a fraction of 1, or a whole number")

    def needs(self) -> Needs:
        """The memory of a task is that of the weights as they are stored, and as they are held."""
        return Needs(num_gpus=self.num_gpus, memory=HELD + 3 * opened(self.model).weight_bytes)

    def assets(self) -> Mapping[str, tuple[str, ...]]:
        """The model's files. Raises InputError if it cannot be used as the options say."""
        model = opened(self.model)
        if self.max_tokens > model.most_tokens:
            raise InputError(f"max_tokens is {self.max_tokens}; {model.folder} takes {model.most_tokens} at most")
        several = len(model.labels) > 1
        if self.raw and several:
            raise InputError(f"raw is for models with one output; {model.folder} has {', '.join(model.labels)}")
        for name in (*self.labels, *([self.label] if self.label else [])):
            if not several:
                raise InputError(f"{model.folder} has one output and no labels; limit it by min_score and max_score")
            if name not in model.labels:
                raise InputError(f"{model.folder} has no label {name!r}{nearest(name, model.labels)}")
        return {"model": model.files}

    def notes(self) -> tuple[str, ...]:
        """Which model runs where."""
        model = opened(self.model)
        where = f"{self.num_gpus:g} GPUs for each task, bfloat16" if self.num_gpus else "1 core for each task, float32"
        return (f"{model.architecture} of {model.weight_bytes / 1e6:,.1f} MB, {self.max_tokens} tokens: {where}",)

    def signal_types(self) -> Signals:
        """The score, and before it the best label, of a model with several outputs. Raises InputError as `assets`."""
        score = {"score": pa.float64()}
        return {"label": pa.string(), **score} if len(opened(self.model).labels) > 1 else score

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> score float64[N] and, of a model with several outputs, label string[N]."""
        scorer = load(self.model, gpu=self.num_gpus > 0)
        labels = scorer.labels
        outputs = scorer.outputs(batch.column("text"), self.max_tokens, raw=self.raw)
        unmeasured = np.isnan(outputs.sum(axis=1))
        if len(labels) == 1:
            return {"score": pa.array(outputs[:, 0], mask=unmeasured)}
        best = np.where(unmeasured[:, None], 0, outputs).argmax(axis=1)
        own = np.full(len(best), labels.index(self.label)) if self.label else best
        return {
            "label": pa.array(np.array(labels, np.object_)[best], pa.string(), mask=unmeasured),
            "score": pa.array(outputs[np.arange(len(best)), own], mask=unmeasured),
        }
