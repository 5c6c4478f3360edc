"""Heads, feet and page numbers, and rows of numbers that are none."""

import pytest

from curation.extract.pdf.line_flow import LINE
from curation.extract.pdf.page_lines import UPWARDS, PageLine
from curation.extract.pdf.running_lines import without_running_lines


def page(*texts: str, column: int = 0) -> list[PageLine]:
    return [PageLine(text, LINE, 760.0 - 20 * at, 10.0, column, True, False, False) for at, text in enumerate(texts)]


BODY = ("a first line", "a second line", "a third line", "a fourth line")


@pytest.mark.parametrize(
    ("pages", "cut"),
    [
        pytest.param(
            [page("Ships", "and Tides", "A Journal", "since 1900", *(f"{n}{line}" for line in BODY)) for n in "abc"],
            12,
            id="a head of four lines",
        ),
        pytest.param(
            [page(*(f"{chr(97 + at)}{line}" for at, line in enumerate(BODY * 5)))] * 3, 12, id="pages that are alike"
        ),
        pytest.param(
            [page(f"{ord(n)}\t14\t17", *(f"{n}{line}" for line in BODY)) for n in "abc"], 0, id="rows of numbers"
        ),
        pytest.param(
            [page(f"{30 + n} {t}{t}", *(f"{t}{line}" for line in BODY)) for n, t in enumerate("abc")], 3, id="titles"
        ),
        pytest.param(
            [page(f"{30 * n} {t}{t}", *(f"{t}{line}" for line in BODY)) for n, t in enumerate("abc")], 0, id="years"
        ),
        pytest.param(
            [page(*(f"{n}{line}" for line in BODY[: ord(n) - 96]), "Ships") for n in "abc"], 0, id="at other heights"
        ),
    ],
)
def test_lines_at_the_edges_of_three_pages(pages: list[list[PageLine]], cut: int) -> None:
    kept, lines = without_running_lines(pages)
    assert lines == cut
    assert sum(map(len, kept)) == sum(map(len, pages)) - cut


def test_a_stamp_that_runs_upwards_is_cut_wherever_it_stands() -> None:
    pages = [page(*(f"{n}{line}" for line in BODY * 4)) for n in "abc"]
    stamped = [one[:8] + page("A STAMP", column=UPWARDS) + one[8:] for one in pages]
    assert without_running_lines(stamped) == (pages, 3)
