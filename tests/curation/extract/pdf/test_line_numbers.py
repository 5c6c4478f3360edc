"""Numbers of lines in the margin, and numbers that belong to the text."""

import numpy as np
import pytest

from curation.extract.pdf.line_numbers import without_line_numbers
from curation.extract.pdf.page_runs import PageRuns

PROSE = "the ships that left the harbour in the morning came"


def page(pieces: list[tuple[str, float, float]]) -> PageRuns:
    """Pieces with their left ends and their heights on the page."""
    text = "".join(piece for piece, _, _ in pieces)
    ends = np.cumsum([len(piece) for piece, _, _ in pieces])
    places = np.stack([ends - [len(piece) for piece, _, _ in pieces], ends], axis=1)
    boxes = np.array([(left, left + 5.0 * len(piece), y, y + 10.0) for piece, left, y in pieces])
    return PageRuns(text, places, boxes, np.zeros((len(pieces), 4)))


def numbered(*, step: int = 1, each: int = 1, text: str = PROSE, left: float = 50.0, lines: int = 20) -> PageRuns:
    """Lines of which some have a number: each one, or each fifth."""
    rows = [(text, 100.0, 700.0 - 12 * at) for at in range(lines)]
    said = [(str(step * (at // each) + 8), left, 700.0 - 12 * at) for at in range(0, lines, each)]
    return page([*rows, *said])


@pytest.mark.parametrize(
    ("runs", "cut"),
    [
        pytest.param(numbered(), 20, id="each line"),
        pytest.param(numbered(step=5, each=5, lines=60), 12, id="each fifth line"),
        pytest.param(numbered(each=2), 0, id="references of two lines"),
        pytest.param(numbered(step=3), 0, id="another step"),
        pytest.param(numbered(text="a row of a table"), 0, id="short lines"),
        pytest.param(numbered(left=500.0), 0, id="behind the lines"),
        pytest.param(numbered(lines=6), 0, id="few lines"),
        pytest.param(page([(PROSE, 100.0, 700.0 - 12 * at) for at in range(20)]), 0, id="no numbers"),
    ],
)
def test_line_numbers(runs: PageRuns, cut: int) -> None:
    left, count = without_line_numbers(runs)
    assert count == cut
    assert len(left.places) == len(left.boxes) == len(left.sizes) == len(runs.places) - cut
    assert all(runs.text[first:stop].isdecimal() is False for first, stop in left.places.tolist()) or not cut
