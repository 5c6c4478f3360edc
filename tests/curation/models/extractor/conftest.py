"""A student of made pages."""

import pytest

from curation.models.extractor.boosting import Boosting
from curation.models.extractor.course import Course, taught
from curation.models.extractor.student import Student
from tests.curation.models.extractor.lessons import add_pages

FAST = Boosting(trees=20, depth=4)


@pytest.fixture(scope="package")
def course() -> Course:
    made = Course()
    add_pages(made, range(44))
    return made


@pytest.fixture(scope="package")
def student(course: Course) -> Student:
    return taught(course, FAST)[0]
