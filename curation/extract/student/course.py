"""All lessons of a fit: which hosts are held out, and how well students of some and of all pages do on them."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from curation.extract.blocks.page import Page
from curation.extract.blocks.render import render
from curation.extract.student.boosting import Boosting
from curation.extract.student.lessons import Lesson, lesson_of
from curation.extract.student.scores import WordScores, mean, score
from curation.extract.student.student import FOLDS, Student, fit_student, kept
from curation.text.kernels.hashing import hash64

HELD_OUT = 5  # one host of so many
SIZES = (100, 250, 500)  # of pages, by which the curve shows whether more would help


class HeldOutPage(NamedTuple):
    """A page that no student learns from."""

    page: Page
    taught: tuple[str, ...]


class Course:
    """Lessons by page, in any order."""

    def __init__(self) -> None:
        self.lessons: dict[str, tuple[str, Lesson, tuple[str, ...]]] = {}

    def add(self, doc_id: str, host: str, page: Page, taught: Sequence[str]) -> None:
        """A page that teaches nothing is left out."""
        lesson = lesson_of(page, taught, int(_hash([host])[0] // np.uint64(HELD_OUT) % np.uint64(FOLDS)))
        if lesson:
            self.lessons[doc_id] = (host, lesson, tuple(taught))

    @property
    def hosts(self) -> set[str]:
        """Of all lessons."""
        return {host for host, _, _ in self.lessons.values()}

    def split(self) -> tuple[list[Lesson], list[HeldOutPage]]:
        """The lessons by the hashes of their pages' ids, and those of one host in HELD_OUT, at least of one. A host
        with most of the pages is learned from."""
        pages = Counter(host for host, _, _ in self.lessons.values())
        hosts = sorted(pages)
        most = np.array([2 * pages[host] > len(self.lessons) for host in hosts])
        order = np.lexsort((_hash(hosts), most))
        held = {hosts[at] for at in order[: max(1, len(hosts) // HELD_OUT)]}
        ids = list(self.lessons)
        in_order = [self.lessons[ids[at]] for at in np.argsort(_hash(ids), kind="stable")]
        lessons = [lesson for host, lesson, _ in in_order if host not in held]
        return lessons, [HeldOutPage(lesson.page, taught) for host, lesson, taught in in_order if host in held]


def taught(course: Course, how: Boosting) -> tuple[Student, dict[str, Any]]:
    """The student of all lessons that are not held out, and its figures: `held_out`, the pages and hosts of that, and
    `curve`, the scores against the teachers by number of pages."""
    lessons, held = course.split()
    sizes = [size for size in SIZES if size < len(lessons)] + [len(lessons)]
    curve: list[dict[str, Any]] = []
    for size in sizes:
        student = fit_student(lessons[:size], how)
        scores = judged(student, held)._asdict()
        curve.append({"pages": size, **{name: round(value, 4) for name, value in scores.items()}})
    hosts = len(course.hosts)
    counts = {"pages": len(held), "hosts": max(1, hosts // HELD_OUT)}
    return student, {"lessons": len(lessons), "hosts": hosts, "held_out": counts, "curve": curve}


def judged(student: Student, held: Sequence[HeldOutPage]) -> WordScores:
    """Means over pages and teachers."""
    scores = []
    for page, texts in held:
        text = render(page, kept(page, student.judge(page))).decode()
        scores += [score(text, truth) for truth in texts]
    return mean(scores)


def _hash(names: Sequence[str]) -> "np.ndarray[tuple[int], np.dtype[np.uint64]]":
    return hash64(pa.array(names, pa.large_string()))
