"""How well a student's scores agree with its teacher's on documents that the student did not learn from.

Spearman's rank correlation with mean ranks for ties (Spearman 1904), and precision, recall and F1 of the student as a
filter at each cut between two scores, as Penedo et al. 2024 judge theirs (arXiv:2406.17557). N = documents.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class CutAgreement:
    """Documents at or above a cut: by the teacher, by the student and by both. A ratio without documents is 0."""

    cut: float
    teacher: int
    student: int
    both: int

    @property
    def precision(self) -> float:
        return self.both / self.student if self.student else 0.0

    @property
    def recall(self) -> float:
        return self.both / self.teacher if self.teacher else 0.0

    @property
    def f1(self) -> float:
        either = self.teacher + self.student
        return 2 * self.both / either if either else 0.0


@dataclass(frozen=True)
class Agreement:
    """`confusion[i][j]`: documents that the teacher scores lowest + i, and the student nearest to lowest + j."""

    documents: int
    unscored: int  # left out: the student has no score for them
    spearman: float | None  # None where one side gives all documents the same score
    mean_absolute_error: float
    lowest: int
    cuts: tuple[CutAgreement, ...]
    confusion: tuple[tuple[int, ...], ...]


def agreement(teacher: npt.ArrayLike, student: npt.ArrayLike, *, lowest: int = 0, highest: int = 5) -> Agreement:
    """`teacher` whole numbers [N] from lowest to highest; `student` float[N], NaN where it has no score.

    Raises ValueError for lengths that differ, a teacher's score out of range, and where no document is left.
    """
    given = np.asarray(teacher, np.float64)
    predicted = np.asarray(student, np.float64)
    if given.shape != predicted.shape or given.ndim != 1:
        raise ValueError(f"{given.shape} scores of the teacher and {predicted.shape} of the student")
    if ((given != np.rint(given)) | (given < lowest) | (given > highest)).any():
        raise ValueError(f"a score of the teacher is not a whole number from {lowest} to {highest}")
    scored = np.isfinite(predicted)
    if not scored.any():
        raise ValueError("no document has a score of both")
    given = given[scored]
    predicted = predicted[scored]
    cuts = [_at(cut + 0.5, given, predicted) for cut in range(lowest, highest)]
    return Agreement(
        documents=len(given),
        unscored=int((~scored).sum()),
        spearman=spearman(given, predicted),
        mean_absolute_error=float(np.abs(given - predicted).mean()),
        lowest=lowest,
        cuts=tuple(cuts),
        confusion=_confusion(given, predicted, lowest, highest),
    )


def spearman(left: Floats, right: Floats) -> float | None:
    """Pearson's correlation of the ranks of two float[N]; None where all values of one are equal."""
    x = mean_ranks(left)
    y = mean_ranks(right)
    x = x - x.mean()
    y = y - y.mean()
    spread = float(np.sqrt((x @ x) * (y @ y)))
    return float(np.clip((x @ y) / spread, -1.0, 1.0)) if spread else None


def mean_ranks(values: Floats) -> Floats:
    """float64[N]: ranks from 1; equal values share the mean of their ranks."""
    _, number, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: Floats = (last - (counts - 1) / 2)[number]
    return ranks


def _at(cut: float, teacher: Floats, student: Floats) -> CutAgreement:
    high = teacher >= cut
    predicted = student >= cut
    return CutAgreement(cut, int(high.sum()), int(predicted.sum()), int((high & predicted).sum()))


def _confusion(teacher: Floats, student: Floats, lowest: int, highest: int) -> tuple[tuple[int, ...], ...]:
    """A student's score halfway between two counts as the higher one, as at a cut."""
    size = highest - lowest + 1
    nearest = np.clip(np.floor(student + 0.5), lowest, highest).astype(np.int64) - lowest
    cells = np.bincount((teacher.astype(np.int64) - lowest) * size + nearest, minlength=size * size)
    return tuple(tuple(row) for row in cells.reshape(size, size).tolist())
