"""Reasons add up to what the student says, and are told of every block."""

import numpy as np

from curation.extract.student.reasons import MOST, shifts, unmoved, verdicts
from curation.extract.student.student import Student, kept
from tests.curation.extract.student.lessons import scanned
from tests.curation.extract.student.made_pages import made_page


def test_shifts_add_up_to_the_odds(student: Student) -> None:
    page = scanned(made_page(900)[0])
    judged = student.judge(page).astype(np.float64)
    odds = shifts(student.second, student.rows(page)).sum(axis=0) + unmoved(student.second)
    assert np.allclose(odds, np.log(judged / (1 - judged)), atol=1e-4)


def test_each_block_has_its_verdict(student: Student) -> None:
    page = scanned(made_page(901)[0])
    found = verdicts(page, student)
    assert [one.kept for one in found] == kept(page, student.judge(page)).tolist()
    assert all(len(one.reasons) == MOST for one in found)
    assert all(abs(one.reasons[0][1]) >= abs(one.reasons[-1][1]) for one in found)
    assert verdicts(scanned(b""), student) == []
