"""How good scores are, on documents whose class is known: ranking, calibration, and what each threshold keeps.

Source: Hanley and McNeil 1982, "The Meaning and Use of the Area under a Receiver Operating Characteristic (ROC) Curve";
Naeini, Cooper and Hauskrecht 2015, "Obtaining Well Calibrated Probabilities Using Bayesian Binning", for the expected
calibration error.

N documents with scores float64[N] in [0, 1], and positive bool[N].
"""

from dataclasses import dataclass
from math import nan

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
BINS = 10  # of equal width
THRESHOLDS = tuple(k / 20 for k in range(1, 20))


@dataclass(frozen=True)
class CalibrationBin:
    """Documents whose score lies in one tenth of [0, 1]: how many, their mean score, and the share of positives."""

    documents: int
    mean_score: float
    positives: float


@dataclass(frozen=True)
class Threshold:
    """What a limit keeps: the share of all documents, and of these how many are positive, and so on."""

    threshold: float
    kept: float
    precision: float  # NaN where nothing is kept
    recall: float
    f1: float


@dataclass(frozen=True)
class Evaluation:
    """`at_half` and `best` are the thresholds 0.5 and the one with the greatest F1."""

    documents: int
    positives: int
    unscored: int  # documents without words; they count as scored 0
    auc: float
    average_precision: float
    brier: float
    calibration_error: float
    at_half: Threshold
    best: Threshold
    thresholds: tuple[Threshold, ...]
    bins: tuple[CalibrationBin, ...]


def evaluate(scores: Floats, positive: Bools) -> Evaluation:
    """Raises ValueError unless there are documents of both classes."""
    if not 0 < np.count_nonzero(positive) < len(positive):
        raise ValueError("documents of one class alone cannot be told apart")
    unscored = np.isnan(scores)
    scores = np.where(unscored, 0.0, scores)
    bins = reliability(scores, positive)
    cuts = np.unique(scores)
    best = max((at_threshold(scores, positive, cut) for cut in _spread(cuts)), key=lambda one: (one.f1, one.threshold))
    return Evaluation(
        documents=len(scores),
        positives=int(np.count_nonzero(positive)),
        unscored=int(np.count_nonzero(unscored)),
        auc=auc(scores, positive),
        average_precision=average_precision(scores, positive),
        brier=float(np.mean((scores - positive) ** 2)),
        calibration_error=calibration_error(bins),
        at_half=at_threshold(scores, positive, 0.5),
        best=best,
        thresholds=tuple(at_threshold(scores, positive, cut) for cut in THRESHOLDS),
        bins=bins,
    )


def auc(scores: Floats, positive: Bools) -> float:
    """The chance that a positive scores more than a negative, where equal scores count half; NaN without both."""
    values, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    good = np.bincount(inverse, weights=positive, minlength=len(values))
    bad = counts - good
    below = np.cumsum(bad) - bad
    pairs = good.sum() * bad.sum()
    return float((good * (below + bad / 2)).sum() / pairs) if pairs else nan


def precision_recall(scores: Floats, positive: Bools) -> tuple[Floats, Floats, Floats]:
    """(thresholds, precision, recall) at each distinct score, from the greatest on."""
    values, inverse, counts = np.unique(-scores, return_inverse=True, return_counts=True)
    good = np.cumsum(np.bincount(inverse, weights=positive, minlength=len(values)))
    return -values, good / np.cumsum(counts), good / max(good[-1], 1)


def average_precision(scores: Floats, positive: Bools) -> float:
    """The mean precision over the steps of recall, not interpolated."""
    _, precision, recall = precision_recall(scores, positive)
    return float((precision * np.diff(recall, prepend=0.0)).sum())


def at_threshold(scores: Floats, positive: Bools, threshold: float) -> Threshold:
    """What the limit `score >= threshold` keeps."""
    kept = scores >= threshold
    hits, count, wanted = (int(np.count_nonzero(mask)) for mask in (kept & positive, kept, positive))
    return Threshold(
        threshold=float(threshold),
        kept=count / max(len(scores), 1),
        precision=hits / count if count else nan,
        recall=hits / wanted if wanted else nan,
        f1=2 * hits / max(count + wanted, 1),
    )


def reliability(scores: Floats, positive: Bools) -> tuple[CalibrationBin, ...]:
    """BINS bins, of which the last includes 1; NaN in empty ones."""
    place = np.minimum((scores * BINS).astype(np.int64), BINS - 1)
    documents, score, good = (
        np.bincount(place, weights=weights, minlength=BINS) for weights in (np.ones(len(scores)), scores, positive)
    )
    with np.errstate(invalid="ignore"):
        means = score / documents
        shares = good / documents
    return tuple(map(CalibrationBin, documents.astype(int).tolist(), means.tolist(), shares.tolist()))


def calibration_error(bins: tuple[CalibrationBin, ...]) -> float:
    """The expected calibration error: the mean distance of score and share of positives, by documents of the bins."""
    full = [one for one in bins if one.documents]
    return sum(one.documents * abs(one.mean_score - one.positives) for one in full) / sum(o.documents for o in full)


def _spread(cuts: Floats, most: int = 1000) -> Floats:
    """At most so many of the values, spread evenly over their order."""
    return cuts if len(cuts) <= most else cuts[np.arange(most) * len(cuts) // most]
