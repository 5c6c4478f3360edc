"""Quality classifier: keep documents that a trained classifier takes for good ones.

    - filter: {quality_classifier: {model: "@classifier", min_score: 0.5}}
    - filter: {quality_classifier: {model: "@classifier", min_score: "@quantiles p90"}}
    - filter: {quality_classifier: {model: "@classifier", min_grade: 3}}
    - filter: {quality_classifier: {model: openhermes_reddit_eli5.bin, label: __label__hq, min_score: 0.018112}}

Source: Li et al. 2024, "DataComp-LM" (arXiv:2406.11794), section 4.4, which keeps the tenth of the web that a fastText
classifier scores best; Joulin et al. 2016, "Bag of Tricks for Efficient Text Classification" (arXiv:1607.01759).
Choices the papers leave open: the whole text is read, and line ends count as spaces, as in DCLM's own code. A text
without a word is unmeasured.

The model is the result of `fit: {classifier: …}` or `winnow model train classifier`, of any kind, or any supervised
fastText model. It says how it reads text; for a model from elsewhere, `normalization` does. The score is the
probability of `label`, else of the model's positive label, and for a model of more labels without a positive one that
of the likeliest. Where the labels are numbers, such as the 0 to 5 of `winnow annotate`, the grade is their mean by
probability, as the regression of Penedo et al. 2024 (arXiv:2406.17557) predicts it. No limit is set by default, because
none holds for all models: then the signals are only stored. With a model for each language, a document in another
language or of unknown language has no signals, and no limit applies to it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa

from curation.core.by_language import EVERY, LANGUAGE, ByLanguage, rows_by_language
from curation.core.component import Files, Signals
from curation.core.errors import InputError, RecipeError
from curation.core.limits import SHARES, Limit
from curation.models.classifier.metadata import Normalization
from curation.models.classifier.model_file import JudgedTexts, checked
from curation.models.fasttext.classifier import PREFIX


@dataclass(frozen=True, kw_only=True)
class QualityClassifier(ByLanguage):
    """The model, the label whose probability is the score, and limits."""

    model: Annotated[str | Mapping[str, str], "path or URI, or language -> path or URI"]
    label: Annotated[str, "whose probability is the score; default: the model's own"] = ""
    normalization: Annotated[
        Normalization | None, "of the text; default: what the model says, none for one from elsewhere"
    ] = None
    min_score: Annotated[float, "probability of the label, in [0, 1]"] = -inf
    max_score: Annotated[float, "probability of the label, in [0, 1]"] = inf
    min_grade: Annotated[float, "the mean of labels that are numbers"] = -inf
    labels: Annotated[tuple[str, ...], "the likeliest label must be one of these; empty: any"] = ()

    limits: ClassVar[tuple[Limit, ...]] = (
        Limit("score", least="min_score", most="max_score", between=SHARES),
        Limit("grade", least="min_grade"),
        Limit("label", one_of="labels"),
    )
    fitted_by: ClassVar[dict[str, str]] = {"model": "classifier"}
    version: ClassVar[int] = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.model:
            raise RecipeError("model names no file: give a path, @ and the name of a fit stage, or language: path")
        if not isinstance(self.model, str):
            for language in self.by_language:
                if language not in self.model:
                    raise RecipeError(f"by_language.{language}: there is no model for {language}; add it to `model`")
            object.__setattr__(self, "reads", (*type(self).reads, LANGUAGE))

    def assets(self) -> Mapping[str, Files]:
        """Where the models are. Raises InputError if one is missing or damaged, lacks a label, or was trained
        otherwise."""
        scored = any(rule.signal == "score" and rule.can_fire() for rule in self.rules())
        for language, path in self._paths().items():
            model = checked(path, label=self._label, normalization=self.normalization, language=language, scored=scored)
            for label in self.labels:
                model.check_label(label, path)
            if not model.numbers and any(rule.signal == "grade" for rule in self.rules() if rule.can_fire()):
                raise InputError(f"the labels of {path} are no numbers, so it gives no grade; use min_score")
        return {"model": self.model}

    def signal_types(self) -> Signals:
        """The likeliest label, the score and the grade."""
        return {"label": pa.string(), "score": pa.float64(), "grade": pa.float64()}

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> label string[N], the likeliest, score float64[N] in [0, 1], and grade float64[N].

        All are null without a word, and without a model for the document's language; the grade also where the labels
        are no numbers.
        """
        labels = np.full(len(batch), None, np.object_)
        values = np.full((2, len(batch)), np.nan)
        for language, rows in rows_by_language(batch, self._paths()).items():
            judged = self._judge(self._paths()[language], batch.column("text").take(pa.array(rows)))
            labels[rows] = judged.labels
            values[:, rows] = (judged.scores, judged.grades)
        score, grade = (pa.array(value, mask=np.isnan(value)) for value in values)
        return {"label": pa.array(labels, pa.string()), "score": score, "grade": grade}

    def modelled(self) -> tuple[str, ...] | None:
        return None if isinstance(self.model, str) else tuple(self.model)

    @property
    def _label(self) -> str:
        return self.label.removeprefix(PREFIX)

    def _paths(self) -> Mapping[str, str]:
        return {EVERY: self.model} if isinstance(self.model, str) else self.model

    def _judge(self, path: str, text: pa.Array) -> JudgedTexts:
        model = checked(path, label=self._label, scored=False)
        return model.judge(text, self._label, self.normalization)
