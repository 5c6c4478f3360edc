"""Wide gaps in lines: spaces of justified lines and cells of tables."""

import pytest

from tests.curation.pdf_files import column, shown

pytest.importorskip("pypdfium2")

from tests.curation.extract.pdf.read_here import text


def justified(*lines: tuple[str, ...]) -> bytes:
    """Lines of which the parts are further apart than words are by 11 points, as TeX sets a space after a sentence."""
    shows = (" -1100 ".join(f"({part})" for part in parts) for parts in lines)
    return "\n".join(f"BT /F 10 Tf 72 {700 - 12 * n} Td [{show}] TJ ET" for n, show in enumerate(shows)).encode()


def test_a_wide_space_after_a_sentence_is_no_cell_and_its_line_is_no_row() -> None:
    page = justified(
        ("Bread that is baked while the oven is still hot will rip-",),
        ("en in the cupboard.", "Old loaves keep on for sev-"),
        ("eral weeks in a dry cupboard where the air is cool and",),
        ("the light is weak.", "The crust turns hard and yel-"),
        ("low, and nobody eats it then, as far as anyone can say.",),
    )
    assert text(page) == (
        "Bread that is baked while the oven is still hot will ripen in the cupboard. Old loaves keep on for several "
        "weeks in a dry cupboard where the air is cool and the light is weak. The crust turns hard and yellow, and "
        "nobody eats it then, as far as anyone can say."
    )


def rows(*gaps: float, left: str = "Oats and rye", right: str = "17 and 4") -> bytes:
    """Rows with gaps of so many points between two cells; the first cell has about 54 points."""
    return shown(
        *((72 + at, 700 - 12 * n, cell) for n, gap in enumerate(gaps) for at, cell in ((0, left), (54 + gap, right)))
    )


@pytest.mark.parametrize(
    ("page", "tabs"),
    [
        pytest.param(rows(12, 12, 12), 3, id="narrow, in three lines"),
        pytest.param(rows(12, 12), 0, id="narrow, in two lines"),
        pytest.param(rows(22, 22), 2, id="wider, in two lines"),
        pytest.param(rows(22), 0, id="wider, in one line"),
        pytest.param(rows(60), 1, id="wider than any space"),
        pytest.param(rows(40, left="Oats, and so."), 0, id="wide after a stop"),
        pytest.param(rows(70, left="Oats, and so."), 1, id="wider than any space after a stop"),
    ],
)
def test_gaps_of_a_table_are_tabs(page: bytes, tabs: int) -> None:
    assert text(page).count("\t") == tabs


def test_a_number_before_its_text_is_no_cell() -> None:
    lines = ["first thing to be done", "second thing to be done", "third thing to be done"]
    page = shown(*column(72, 700, ["1.", "2.", "3."]), *column(100, 700, lines))
    assert text(page) == "1. first thing to be done\n2. second thing to be done\n3. third thing to be done"


def test_a_raised_figure_touches_its_word() -> None:
    page = b"BT /F 10 Tf 72 700 Td (It is 5 km) Tj /F 6 Tf 4 Ts (2) Tj /F 10 Tf 0 Ts ( wide, or so they say.) Tj ET"
    assert text(page) == "It is 5 km2 wide, or so they say."
