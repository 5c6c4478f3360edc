"""The student: what it has learned holds on sites that it has not seen, and it keeps the best set of blocks."""

import numpy as np
import pytest

from curation.extract.blocks.page import WORDS, Page
from curation.extract.blocks.render import render
from curation.extract.student.lessons import Lesson
from curation.extract.student.scores import score
from curation.extract.student.student import Student, _weights, kept
from tests.curation.extract.student.lessons import scanned
from tests.curation.extract.student.made_pages import made_page


def test_it_finds_the_articles_of_other_pages(student: Student) -> None:
    scores = []
    for number in range(100, 130):
        markup, text, _ = made_page(number)
        page = scanned(markup)
        scores.append(score(render(page, kept(page, student.judge(page))).decode(), text).f1)
    assert min(scores) > 0.85


def test_a_page_without_text(student: Student) -> None:
    page = scanned(b"<html><body><div></div></body></html>")
    judged = student.judge(page)
    assert judged.shape == kept(page, judged).shape == (0,)


@pytest.mark.parametrize("seed", range(5))
def test_no_other_number_of_the_likeliest_blocks_has_a_higher_expected_f1(seed: int) -> None:
    page = scanned(b"".join(f"<p>{'word ' * (n * 7 % 5 + 1)}</p>".encode() for n in range(9)))
    judged = np.random.default_rng(seed).random(9).astype(np.float32)
    order = np.argsort(-judged)

    def expected(blocks: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> float:
        words = page.blocks[:, WORDS]
        total = words[blocks].sum() + (words * judged).sum()
        return float(2 * (words * judged)[blocks].sum() / total)

    best = max(expected(order[:size]) for size in range(10))
    assert expected(np.flatnonzero(kept(page, judged))) == pytest.approx(best)


def test_nothing_is_kept_where_nothing_is_likely() -> None:
    page: Page = scanned(b"<p>one</p><p>two</p>")
    assert not kept(page, np.zeros(2, np.float32)).any()


def test_a_block_weighs_as_much_as_its_share_of_the_pages_text() -> None:
    page = scanned(b"<p>one</p><p>two</p>")
    long = Lesson(page, np.array([1, 0.5], np.float32), np.array([30, 20], np.float32), 0)  # a text of 40 words
    assert _weights(long).tolist() == pytest.approx([31 / 40, 21 / 40])
    short = Lesson(page, np.array([1, 0], np.float32), np.array([9, 29], np.float32), 0)  # as if of 20
    assert _weights(short).tolist() == pytest.approx([10 / 20, 1])
