"""The two stages: probabilities that blocks are main text, and the blocks that are kept.

The second stage sees what the first said of the blocks around. Kept are the blocks with the highest expected F1: those
above the probability at which one more word is expected to cost more than it brings.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from curation.extract.blocks.feature_names import COUNT
from curation.extract.blocks.features import features
from curation.extract.blocks.frames import Bools
from curation.extract.blocks.page import WORDS, Int32s, Page
from curation.extract.blocks.sums import Floats
from curation.extract.student.around import COUNT as AROUND
from curation.extract.student.around import fill_around
from curation.extract.student.boosting import Boosting, fit_trees
from curation.extract.student.lessons import Lesson
from curation.extract.student.trees import Trees, probabilities
from curation.text.kernels.compiler.kernel import Grid, kernel

T = TypeVar("T")

_LEAST_WORDS = 20.0  # of a page's text, by which its blocks' shares of it are measured
FOLDS = 2  # of hosts; the second stage learns from first stages that have not seen the page


class Student(NamedTuple):
    """Both stages."""

    first: Trees
    second: Trees

    def judge(self, page: Page) -> Floats:
        """float32[B]: the probability of each block."""
        judged: Floats = probabilities(self.second, self.rows(page))
        return judged

    def rows(self, page: Page) -> Grid[Floats]:
        """float32[COUNT + AROUND, B]: what the second stage judges by."""
        own = features(page.nodes, page.blocks)
        if not own.shape[1]:
            return np.empty((COUNT + AROUND, 0), np.float32)
        return _with_around(page, own, probabilities(self.first, own))


def _with_around(page: Page, own: Grid[Floats], first: Floats) -> Grid[Floats]:
    rows = np.empty((COUNT + AROUND, own.shape[1]), np.float32)
    rows[:COUNT] = own
    fill_around(page.nodes, page.blocks, first, rows[COUNT:])
    return rows


def fit_student(lessons: Sequence[Lesson], how: Boosting) -> Student:
    """Both stages from pages with at least one block each. The second learns from probabilities of first stages that
    were fitted on the other fold."""
    own = [features(lesson.page.nodes, lesson.page.blocks) for lesson in lessons]
    first = _fit(own, lessons, how)
    folds = [lesson.fold for lesson in lessons]
    apart = [_fit(_but(own, folds, fold), _but(lessons, folds, fold), how) for fold in range(FOLDS)]
    guessed = [probabilities(apart[fold], rows) for fold, rows in zip(folds, own, strict=True)]
    rows = [_with_around(lesson.page, *both) for lesson, *both in zip(lessons, own, guessed, strict=True)]
    return Student(first, _fit(rows, lessons, how))


def _but(several: Sequence[T], folds: Sequence[int], fold: int) -> Sequence[T]:
    """Those of other folds; all where there are none."""
    return [one for one, own in zip(several, folds, strict=True) if own != fold] or several


def _fit(rows: Sequence[Grid[Floats]], lessons: Sequence[Lesson], how: Boosting) -> Trees:
    targets = np.concatenate([lesson.shares for lesson in lessons])
    weights = np.concatenate([_weights(lesson) for lesson in lessons])
    return fit_trees(np.concatenate(rows, axis=1), targets, weights, how)


def _weights(lesson: Lesson) -> Floats:
    """A block's words as a share of the page's text, so that pages count alike."""
    text = max(_LEAST_WORDS, float((lesson.words * lesson.shares).sum()))
    weights: Floats = np.minimum((lesson.words + 1) / text, 1).astype(np.float32)
    return weights


def kept(page: Page, judged: Floats) -> Bools:
    """bool[B]: the blocks with the highest expected F1."""
    return _best(judged, page.blocks)


@kernel
def _best(judged: Floats, blocks: Grid[Int32s]) -> Bools:
    size = judged.size
    keep = np.zeros(size, np.bool_)
    order = np.argsort(-judged)
    expected = 0.0
    for block in range(size):
        expected += blocks[block, WORDS] * judged[block]
    words = 0.0
    text = 0.0
    best = 0.0
    most = 0
    for place in range(size):
        block = order[place]
        words += blocks[block, WORDS]
        text += blocks[block, WORDS] * judged[block]
        value = 2 * text / (words + expected + 1e-9)
        if value > best:
            best = value
            most = place + 1
    for place in range(most):
        keep[order[place]] = True
    return keep
