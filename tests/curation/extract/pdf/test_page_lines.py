"""Lines from right to left, lines that run upwards, pages of too many columns, and lines of a typewriter's font."""

import numpy as np
import pytest

from curation.extract.pdf import page_lines as module
from curation.extract.pdf.page_lines import UPWARDS, page_lines
from curation.extract.pdf.page_runs import PageRuns


def runs(*pieces: tuple[str, float, float], to_left: bool = False, width: float = 5.0) -> PageRuns:
    """Pieces of one width of letters, each with its left end and its height on the page."""
    text = "".join(piece for piece, _, _ in pieces)
    ends = np.cumsum([len(piece) for piece, _, _ in pieces])
    places = np.stack([ends - [len(piece) for piece, _, _ in pieces], ends], axis=1)
    boxes = np.array([(left, left + width * len(piece), y, y + 10.0) for piece, left, y in pieces])
    sizes = np.array([(width * len(piece.split()[0]), width, width, 0.0) for piece, _, _ in pieces])
    return PageRuns(text, places, boxes, sizes, to_left)


def test_pieces_of_a_line_are_read_from_right_to_left_in_scripts_that_run_so() -> None:
    pieces = (("שלום", 72.0, 700.0), ("עולם", 100.0, 700.0))
    assert [line.text for line in page_lines(runs(*pieces, to_left=True))] == ["עולם שלום"]
    assert [line.text for line in page_lines(runs(*pieces))] == ["שלום עולם"]


def test_a_line_of_letters_of_one_width_is_typed() -> None:
    one = runs(("if a:", 72.0, 700.0))
    assert [line.typed for line in page_lines(one)] == [True]
    other = one._replace(sizes=one.sizes * [1.0, 0.5, 1.0, 1.0])
    assert [line.typed for line in page_lines(other)] == [False]


def test_lines_that_run_upwards_stand_last_each_in_a_column_of_its_own() -> None:
    page = runs(("stamp", 10.0, 700.0), ("A line", 72.0, 700.0), ("notice", 20.0, 700.0), ("and more", 72.0, 688.0))
    page.boxes[[0, 2], 1] = page.boxes[[0, 2], 0] + 5.0
    assert [(line.text, line.column) for line in page_lines(page)] == [
        *(("A line", 0), ("and more", 0)),
        *(("stamp", UPWARDS), ("notice", UPWARDS)),
    ]
    assert [line.text for line in page_lines(page._replace(places=page.places[:1], boxes=page.boxes[:1]))] == ["stamp"]


def test_a_page_of_more_parts_than_any_is_read_by_its_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    left = [(f"left {number} of it", 72.0, 700.0 - 12 * number) for number in range(12)]
    right = [(f"right {number} of it", 182.0, y) for number, (_, _, y) in enumerate(left)]
    page = runs(*left, *right)
    assert {line.column for line in page_lines(page)} == {0, 1}
    monkeypatch.setattr(module, "MOST_PARTS", 1)
    assert {line.column for line in page_lines(page)} == {0}
    assert "left 0" in page_lines(page)[0].text
    assert "right 0" in page_lines(page)[0].text
