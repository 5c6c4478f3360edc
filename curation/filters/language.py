"""Language: keep documents that a classifier takes for one of the wanted languages, and is sure of.

Source: Joulin et al. 2016, "Bag of Tricks for Efficient Text Classification" (arXiv:1607.01759) and its model lid.176;
the limit of 0.65 is the one of Penedo et al. 2023, "The RefinedWeb Dataset" (arXiv:2306.01116).
Choices the papers leave open: a glance at the beginning decides where it is clear, and only otherwise is more of the
text read; never the whole of a long one. A text without any word has neither language nor score, so it is unmeasured.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from curation.core.errors import RecipeError
from curation.core.rules import Rule
from curation.models.fasttext import EMBEDDED, load, locate

# A glance whose score lies between is not trusted. Fixed, so that a limit can change and the measure stays.
UNSURE_FROM, UNSURE_TO = 0.3, 0.9


@dataclass(frozen=True, kw_only=True)
class Language:
    """The wanted languages as the model names them ("en", "pt", …), none for any; and the least score."""

    languages: tuple[str, ...] = ()
    min_score: float = 0.65
    model: str = EMBEDDED  # or the path or URI of another fastText classifier
    glance_characters: int = 150
    max_characters: int = 1000  # read where the glance leaves doubt

    reads: ClassVar[tuple[str, ...]] = ("text",)
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if not 0 < self.glance_characters <= self.max_characters:
            raise RecipeError(
                f"language: glance_characters ({self.glance_characters}) must be at least 1 and at most "
                f"max_characters ({self.max_characters})"
            )

    def assets(self) -> dict[str, str]:
        """Where the model is. Raises InputError where it is not."""
        return {"model": locate(self.model)}

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> `label` string[N] and `score` float64[N] in [0, 1], null for texts without a word."""
        text = batch.column("text")
        classifier = load(self.model)
        labels, scores = classifier.best(text, characters=self.glance_characters)
        doubtful = np.flatnonzero((scores >= UNSURE_FROM) & (scores < UNSURE_TO))
        labels[doubtful], scores[doubtful] = classifier.best(
            text.take(pa.array(doubtful)), characters=self.max_characters
        )
        return {
            "label": pa.array(labels, pa.string()),
            "score": pa.array(scores, mask=np.isnan(scores)),
        }

    def rules(self) -> tuple[Rule, ...]:
        wanted = (Rule("label", one_of=self.languages),) if self.languages else ()
        return (*wanted, Rule("score", at_least=self.min_score))
