"""A student of made pages."""

import pytest

from curation.extract.student.boosting import Boosting
from curation.extract.student.course import Course, taught
from curation.extract.student.student import Student
from tests.curation.extract.student.lessons import add_pages

FAST = Boosting(trees=20)


@pytest.fixture(scope="package")
def course() -> Course:
    made = Course()
    add_pages(made, range(44))
    return made


@pytest.fixture(scope="package")
def student(course: Course) -> Student:
    return taught(course, FAST)[0]
