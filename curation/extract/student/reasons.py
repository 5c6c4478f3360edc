"""Why blocks of a page were kept: how far each feature moved the odds of a block.

A tree's answer is cut into steps: after each of its questions, the mean of the leaves that are still possible. The step
that a question makes is put down to the feature that it asks for. Source: Saabas 2014, "Interpreting random forests".
"""

from typing import NamedTuple

import numpy as np

from curation.extract.blocks.feature_names import FEATURES
from curation.extract.blocks.page import START, STOP, Page
from curation.extract.blocks.sums import Floats
from curation.extract.student import around
from curation.extract.student.student import Student, kept
from curation.extract.student.trees import Trees
from curation.text.kernels.compiler.kernel import Grid

MOST = 4  # reasons of a block


class Verdict(NamedTuple):
    """On a block."""

    text: str
    kept: bool
    probability: float
    reasons: tuple[tuple[str, float], ...]  # features and their shifts of the log odds, the largest first


def verdicts(page: Page, student: Student) -> list[Verdict]:
    """On each block of a page, in order."""
    judged = student.judge(page)
    keep = kept(page, judged)
    names = (*FEATURES, *around.FEATURES)
    moved = shifts(student.second, student.rows(page)).T
    text = page.text.tobytes()
    found = []
    for number, (start, stop) in enumerate(page.blocks[:, [START, STOP]].tolist()):
        own = moved[number]
        largest = np.argsort(-np.abs(own), kind="stable")[:MOST]
        reasons = tuple((names[at], float(own[at])) for at in largest)
        found.append(Verdict(text[start:stop].decode(), bool(keep[number]), float(judged[number]), reasons))
    return found


def shifts(trees: Trees, rows: Grid[Floats]) -> Grid[Floats]:
    """float32[F, N]: of the log odds, by feature; with `unmoved` they add up to them."""
    out = np.zeros(rows.shape, np.float32)
    for features, borders, values in zip(trees.features, trees.borders, trees.values, strict=True):
        leaves = np.zeros(rows.shape[1], np.int64)
        before = np.full(rows.shape[1], values.mean(), np.float32)
        for level, (feature, border) in enumerate(zip(features, borders, strict=True)):
            leaves |= (rows[feature] > border).astype(np.int64) << level
            means = values.reshape(-1, 2 << level).mean(axis=0)
            out[feature] += means[leaves] - before
            before = means[leaves]
    return out


def unmoved(trees: Trees) -> float:
    """The log odds of which nothing is known."""
    return float(trees.bias + trees.values.mean(axis=1).sum())
