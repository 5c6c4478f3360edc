"""Made pages as lessons."""

from collections.abc import Iterable

from curation.extract.blocks.page import Page
from curation.extract.blocks.scanner import scan
from curation.extract.student.course import Course
from tests.curation.extract.student.made_pages import made_page


def scanned(markup: bytes) -> Page:
    return scan(markup, max_nodes=10_000, max_depth=200, max_attributes=200)


def add_pages(course: Course, numbers: Iterable[int]) -> None:
    for number in numbers:
        markup, text, host = made_page(number)
        course.add(f"page-{number}", host, scanned(markup), [text])
