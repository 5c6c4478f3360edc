"""The course: hosts are held out whole, and order does not matter."""

import pytest

from curation.extract.student.course import HELD_OUT, Course, taught
from curation.extract.student.student_file import packed
from tests.curation.extract.student.conftest import FAST
from tests.curation.extract.student.lessons import add_pages, scanned
from tests.curation.extract.student.made_pages import made_page


def test_a_fifth_of_the_hosts_is_held_out(course: Course) -> None:
    lessons, held = course.split()
    hosts = len(course.hosts)
    assert len(lessons) + len(held) == 44
    assert len(held) == 44 // hosts * (hosts // HELD_OUT)
    pages = {id(lesson.page) for lesson in lessons}
    assert not pages & {id(one.page) for one in held}


@pytest.mark.parametrize("largest", ["a.example", "b.example"])
def test_a_host_with_most_of_the_pages_is_learned_from(largest: str) -> None:
    course = Course()
    for number in range(8):
        markup, text, _ = made_page(number)
        host = largest if number < 5 else {"a.example": "b.example", "b.example": "a.example"}[largest]
        course.add(f"page-{number}", host, scanned(markup), [text])
    lessons, held = course.split()
    assert (len(lessons), len(held)) == (5, 3)


def test_figures(course: Course) -> None:
    _, facts = taught(course, FAST)
    assert (facts["lessons"], facts["hosts"], facts["held_out"]) == (36, 11, {"pages": 8, "hosts": 2})
    (last,) = facts["curve"]
    assert last["pages"] == 36
    assert last["f1"] > 0.9


def test_the_order_of_pages_says_nothing(course: Course) -> None:
    other = Course()
    add_pages(other, reversed(range(44)))
    assert packed(*taught(other, FAST)) == packed(*taught(course, FAST))


def test_pages_that_teach_nothing_are_left_out() -> None:
    course = Course()
    markup, _, host = made_page(1)
    course.add("a", host, scanned(markup), [""])
    course.add("b", host, scanned(b"<div></div>"), ["text"])
    course.add("c", host, scanned(markup), [])
    assert not course.lessons
