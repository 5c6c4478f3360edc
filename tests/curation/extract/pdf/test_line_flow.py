"""Where paragraphs begin: ragged lines, items, references, titles, and lines far apart."""

import numpy as np
import pytest

from curation.extract.pdf.line_flow import COLUMN, GOES_ON, LINE, FlowLines, follow
from tests.curation.pdf_files import column, shown

pytest.importorskip("pypdfium2")

from tests.curation.extract.pdf.read_here import text


def test_a_line_that_has_no_room_for_the_next_word_has_not_ended_early() -> None:
    ragged = [
        (84, 700, "The tide comes in twice a day and leaves the"),
        (72, 688, "harbour extraordinarily muddy, so that all of the"),
        (72, 676, "fishermen"),
        (84, 664, "Another begins here and has its own end."),
    ]
    assert text(shown(*ragged)) == (
        "The tide comes in twice a day and leaves the harbour extraordinarily muddy, so that all of the fishermen\n\n"
        "Another begins here and has its own end."
    )


def test_lines_of_a_reference_stand_further_in_than_its_first() -> None:
    references = [
        (72, 700, "Smith, J. The tides of the north, and what they do."),
        (84, 688, "Journal of Tides, volume 3, with a long title too"),
        (84, 676, "in two parts."),
        (72, 664, "Brown, K. On mud, and how to walk on it in winter"),
        (84, 652, "when it freezes. Mud Press."),
    ]
    first, second = text(shown(*references)).split("\n\n")
    assert first.endswith("what they do. Journal of Tides, volume 3, with a long title too in two parts.")
    assert second.endswith("in winter when it freezes. Mud Press.")


def test_an_item_goes_on_in_lines_that_stand_further_in_or_out() -> None:
    inwards = [
        (72, 700, "\u2022 A first thing to be done that is told in two"),
        (80, 688, "lines"),
        (72, 676, "\u2022 another"),
    ]
    outwards = [
        (84, 700, "\u2022 A first thing to be done that is told in two"),
        (72, 688, "lines"),
        (84, 676, "\u2022 another"),
    ]
    for lines in (inwards, outwards):
        assert text(shown(*lines)).split("\n")[0] == "- A first thing to be done that is told in two lines"


def test_a_title_of_two_lines_is_one_and_lines_in_its_middle_are_apart() -> None:
    page = shown((100, 740, "On the Tides of the North Sea and"), (180, 718, "Its Harbours"), size=18)
    page += b"\n" + shown((210, 690, "Jane Smith"), (170, 678, "Institute of Tides and of Mud"))
    assert text(page) == "On the Tides of the North Sea and Its Harbours\n\nJane Smith\nInstitute of Tides and of Mud"


def test_lines_that_are_all_far_apart_are_one_paragraph_beside_others_that_are_near() -> None:
    far = [
        "These lines are as far apart as those of a page for",
        "corrections are, and go on to the end of what there",
        "is to be said.",
    ]
    near = [f"A row of near lines, its number {number}." for number in range(9)]
    assert text(shown(*column(72, 700, far, pitch=24), *column(72, 560, near))).startswith(" ".join(far) + "\n\n")


def test_lines_of_an_address_stay_apart() -> None:
    lines = ["Harbour Office", "12 Mud Lane", "The last line of an address"]
    assert text(shown(*column(72, 700, lines))) == "\n".join(lines)


@pytest.mark.parametrize(("wide", "behind_the_short_line"), [(True, LINE), (False, GOES_ON)])
def test_chinese_lines_break_anywhere_and_end_early_where_a_letter_had_room(
    wide: bool, behind_the_short_line: int
) -> None:
    letters = np.array([30, 29, 30, 28, 30])  # of 10 points each, in lines of 10 points: the fourth had room for one
    tops = 700.0 - 14 * np.arange(5)
    no = np.zeros(5, np.bool_)
    follows, full = follow(
        FlowLines(
            boxes=np.stack([np.full(5, 72.0), 72.0 + 10 * letters, tops - 10, tops], axis=1),
            height=np.full(5, 10.0),
            column=np.zeros(5, np.int64),
            word=np.full(5, 10.0),
            wide=np.full(5, wide),
            rows=no,
            ends=no,
            items=no,
            labels=no,
            capitals=no,
        )
    )
    assert follows.tolist() == [COLUMN, GOES_ON, GOES_ON, GOES_ON, behind_the_short_line]
    assert full.all()
