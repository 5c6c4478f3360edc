"""Agreement of a student with its teacher, by hand."""

import math

import numpy as np
import pytest

from curation.models.agreement import Agreement, agreement, spearman

TEACHER = [0, 1, 2, 3, 4, 5, 3, 3]
STUDENT = [0.2, 0.9, 2.5, 2.4, 3.6, 5.7, 3.5, math.nan]


@pytest.fixture
def judged() -> Agreement:
    return agreement(TEACHER, STUDENT)


def test_spearman(judged: Agreement) -> None:
    """Ranks less their mean: teacher -3 -2 -1 ½ 2 3 ½, student -3 -2 0 -1 2 3 1; products 26, squares 27.5 and 28."""
    assert judged.spearman == pytest.approx(26 / math.sqrt(27.5 * 28))
    assert (judged.documents, judged.unscored) == (7, 1)
    assert judged.mean_absolute_error == pytest.approx(3.0 / 7)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        pytest.param([1, 2, 3], [10, 20, 3000], 1.0, id="same order"),
        pytest.param([1, 2, 3], [3, 2, 1], -1.0, id="reversed"),
        pytest.param([1, 2, 3], [5, 5, 5], None, id="one value"),
    ],
)
def test_spearman_at_its_limits(left: list[float], right: list[float], expected: float | None) -> None:
    assert spearman(np.array(left, np.float64), np.array(right, np.float64)) == pytest.approx(expected)


def test_each_cut(judged: Agreement) -> None:
    assert [(cut.cut, cut.teacher, cut.student, cut.both) for cut in judged.cuts] == [
        (0.5, 6, 6, 6),
        (1.5, 5, 5, 5),
        (2.5, 4, 4, 3),
        (3.5, 2, 3, 2),
        (4.5, 1, 1, 1),
    ]
    assert [cut.f1 for cut in judged.cuts] == pytest.approx([1, 1, 0.75, 0.8, 1])
    assert (judged.cuts[3].precision, judged.cuts[3].recall) == (pytest.approx(2 / 3), 1)


def test_a_cut_without_documents_has_no_ratio() -> None:
    top = agreement([0, 1], [0.0, 1.0]).cuts[4]
    assert (top.precision, top.recall, top.f1) == (0, 0, 0)


def test_confusion(judged: Agreement) -> None:
    assert judged.confusion == (
        (1, 0, 0, 0, 0, 0),
        (0, 1, 0, 0, 0, 0),
        (0, 0, 0, 1, 0, 0),  # 2.5 counts as 3
        (0, 0, 1, 0, 1, 0),
        (0, 0, 0, 0, 1, 0),
        (0, 0, 0, 0, 0, 1),  # 5.7 counts as 5
    )


@pytest.mark.parametrize(
    ("teacher", "student", "message"),
    [
        ([1, 2], [1.0], "scores of the teacher"),
        ([1, 6], [1.0, 2.0], "not a whole number from 0 to 5"),
        ([1, 2.5], [1.0, 2.0], "not a whole number from 0 to 5"),
        ([1, 2], [math.nan, math.inf], "no document has a score of both"),
    ],
)
def test_what_cannot_be_compared(teacher: list[float], student: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        agreement(teacher, student)
