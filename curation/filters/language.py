"""Language: keep documents that a classifier assigns to a wanted language with enough confidence.

Source: Joulin et al. 2016, "Bag of Tricks for Efficient Text Classification" (arXiv:1607.01759) and its model lid.176;
the limit of 0.65 is from Penedo et al. 2023, "The RefinedWeb Dataset" (arXiv:2306.01116), limits by language are from
Penedo et al. 2025, "FineWeb2" (arXiv:2506.20920).
Choices the papers leave open: a long text is judged by eight windows of 64 bytes if they score 0.9 or more, otherwise
by 32 windows of 128 bytes. If the best label of the windows scores below 0.3, as often in small languages, the whole
text decides. The second-best label and its score are measured too, for mixed texts and close pairs of languages. A text
without a word has no label and no score, so it is unmeasured.
The model takes text that was decoded wrongly for some language with confidence: Cyrillic in Windows-1252 for German. So
characters that stand where no writing system puts them are counted and limited too (`curation/text/garbled.py`). The
limit of 0.1 is ours: of 13,373 real texts in 462 languages 13 exceed it, of which ten are broken themselves (2026-11).
It hardly knows capitals either: of 7,162 real texts, put into capitals, it labels 30 % rightly. So a text with more
capital letters than others is judged in lower case (`curation/models/capitals.py`): then 90 % are right, as many as of
the ordinary texts. The better score of both would be wrong three times as often.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core.component import Signals
from curation.core.errors import InputError, RecipeError
from curation.core.filter import Filter
from curation.core.installation import LANGUAGE_MODEL
from curation.core.languages import meant
from curation.core.limits import SHARES, Limit
from curation.models.capitals import small_letters
from curation.models.fasttext.classifier import EMBEDDED, FasttextClassifier, load, locate
from curation.models.fasttext.labels import Scores
from curation.models.text_windows import whole, windows
from curation.text.garbled import garbled_shares

# The few windows are trusted from CLEAR on, and no windows below LOW. LOW is below every limit that recipes set, so
# reading the whole text loses no document that its windows would keep. Constants, so that limits can change freely.
LOW = 0.3
CLEAR = 0.9
GLANCE_WINDOWS = 8
GLANCE_BYTES = 64
WINDOWS = 32
WINDOW_BYTES = 128


@dataclass(frozen=True, kw_only=True)
class Language(Filter):
    """The wanted languages by the model's labels ("en", "pt", …), empty for any, and the least score."""

    languages: Annotated[tuple[str, ...], "labels of the model that are kept, such as en; empty: all"] = ()
    min_score: Annotated[float, "probability of the label, in [0, 1]"] = 0.65
    max_garbled: Annotated[float, "fraction of non-whitespace characters as in text decoded wrongly, in [0, 1]"] = 0.1
    min_scores: Annotated[Mapping[str, float], "language -> its own least score"] = field(default_factory=dict)
    model: Annotated[str, "or path or URI of another fastText classifier"] = EMBEDDED

    limits: ClassVar[tuple[Limit, ...]] = (
        Limit("label", one_of="languages"),
        Limit("score", least="min_score", each="min_scores", between=SHARES),
        Limit("garbled", most="max_garbled", between=SHARES),
    )
    version: ClassVar[int] = 5

    def __post_init__(self) -> None:
        for label in self.min_scores if self.languages else ():
            if label not in self.languages:
                raise RecipeError(
                    f"min_scores: {label!r} is not one of the wanted languages{meant(label, self.languages)}"
                )

    def packages(self) -> tuple[str, ...]:
        """What carries the embedded model."""
        return (LANGUAGE_MODEL,) if self.model == EMBEDDED else ()

    def assets(self) -> dict[str, str]:
        """Where the model is. Raises InputError if it is missing or does not know one of the languages."""
        place = locate(self.model)
        known = self.known()
        for label in (*self.languages, *self.min_scores):
            if label not in known:
                raise InputError(f"{self.model} knows no language {label!r}{meant(label, known)}")
        return {"model": place}

    def known(self) -> tuple[str, ...]:
        """All labels of the model."""
        return tuple(load(self.model).labels)

    def kept(self) -> tuple[str, ...]:
        """The labels that kept documents may have."""
        return self.languages or self.known()

    def signal_types(self) -> Signals:
        """The best label and the second-best, each with its score, and the share of garbled characters."""
        return {
            "label": pa.string(),
            "score": pa.float64(),
            "second_label": pa.string(),
            "second_score": pa.float64(),
            "garbled": pa.float64(),
        }

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> label string[N], score float64[N] in [0, 1], the same for the second-best label, all
        null for texts without a word; and garbled float64[N] in [0, 1]."""
        written = batch.column("text")
        text = small_letters(written)
        classifier = load(self.model)
        labels, scores, partly = of_windows(text, classifier)
        low = np.flatnonzero(partly & ~(scores[:, 0] >= LOW))  # NaN too: words may lie between the windows
        labels[low], scores[low] = classifier.best(whole(text, rows=low), ranks=2)
        unmeasured = np.isnan(scores)
        return {
            "label": pa.array(labels[:, 0], pa.string()),
            "score": pa.array(scores[:, 0], mask=unmeasured[:, 0]),
            "second_label": pa.array(labels[:, 1], pa.string()),
            "second_score": pa.array(scores[:, 1], mask=unmeasured[:, 1]),
            "garbled": pa.array(garbled_shares(written)),
        }


def of_windows(
    text: pa.Array, classifier: FasttextClassifier
) -> tuple[npt.NDArray[np.object_], Scores, npt.NDArray[np.bool_]]:
    """(str[N, 2], float64[N, 2], bool[N]): the two best labels of text[N] by windows alone, their scores, and whether
    text is left unread. Without a word in the windows, None and NaN."""
    glance = windows(text, count=GLANCE_WINDOWS, size=GLANCE_BYTES)
    labels, scores = classifier.best(glance, ranks=2)
    partly = np.diff(glance.first) > 1
    doubtful = np.flatnonzero(partly & (scores[:, 0] >= LOW) & (scores[:, 0] < CLEAR))
    more = windows(text, count=WINDOWS, size=WINDOW_BYTES, rows=doubtful)
    labels[doubtful], scores[doubtful] = classifier.best(more, ranks=2)
    partly[doubtful] = np.diff(more.first) > 1
    return labels, scores, partly
