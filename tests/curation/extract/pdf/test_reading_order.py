"""Columns above a table, columns of formulas, titles of two lines, and parts with free space between."""

import pytest

from tests.curation.pdf_files import column, shown

pytest.importorskip("pypdfium2")

from tests.curation.extract.pdf.read_here import text

LEFT = [f"The left column has this as its line number {number:02}" for number in range(8)]
RIGHT = [f"And this is to be read after it, as line number {number:02}" for number in range(8)]


def across(*columns: list[tuple[float, float, str]]) -> bytes:
    return shown(*(line for row in zip(*columns, strict=True) for line in row))


def in_order(found: str, *parts: str) -> bool:
    places = [found.index(part) for part in parts]
    return places == sorted(places)


def test_columns_above_a_table_are_read_as_columns_and_the_table_by_its_rows() -> None:
    cells = [
        column(x, 520, [f"{name}{row}" for row in range(14)])
        for x, name in ((72, "a"), (150, "b"), (260, "c"), (470, "d"))
    ]
    found = text(across(column(72, 700, LEFT), column(320, 700, RIGHT)) + b"\n" + across(*cells))
    assert in_order(found, LEFT[0], LEFT[7], RIGHT[0], RIGHT[7], "a0\tb0\tc0\td0", "a13\tb13\tc13\td13")


def test_two_parts_of_one_layout_are_read_one_after_the_other() -> None:
    above = across(column(72, 700, LEFT), column(320, 700, RIGHT))
    below = across(column(72, 500, [line.upper() for line in LEFT]), column(320, 500, [line.upper() for line in RIGHT]))
    assert in_order(text(above + b"\n" + below), LEFT[7], RIGHT[7], LEFT[0].upper(), RIGHT[0].upper())


def test_the_second_line_of_a_title_stays_with_its_first() -> None:
    title = shown((90, 750, "A Title that Is Told over Both of the Columns in"), (330, 728, "Two Lines"), size=18)
    found = text(title + b"\n" + across(column(72, 700, LEFT), column(320, 700, RIGHT)))
    assert found.startswith("A Title that Is Told over Both of the Columns in Two Lines\n\n")


def test_a_long_column_of_formulas_beside_one_of_text() -> None:
    prose = [f"The left column goes on as text, its line number {number:02}" for number in range(30)]
    formulas = [f"f(x) = {number} + y{' + z + a + b + c' * (number % 3)}" for number in range(30)]
    found = text(across(column(72, 700, prose), column(320, 700, formulas)))
    assert in_order(found, prose[0], prose[29], formulas[0], formulas[29])
