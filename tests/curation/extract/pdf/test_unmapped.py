"""Pages whose fonts have no map to Unicode: codes that mean nothing, and codes that are letters all the same."""

import numpy as np
import pytest

from curation.extract.pdf.page_characters import PageCharacters
from curation.extract.pdf.unmapped import is_unreadable

PROSE = "Bread that is baked while the oven is still hot will be dry by the evening"


def page(text: str, mapped: str = "") -> PageCharacters:
    codes = np.array([ord(one) for one in text + mapped], np.uint32)
    boxes = np.zeros((len(codes), 4))
    boxes[codes != 0x20, 1] = 5.0
    return PageCharacters(codes, boxes, np.arange(len(codes)) < len(text))


@pytest.mark.parametrize(
    ("text", "unreadable"),
    [
        pytest.param(PROSE, False, id="letters as in an old font"),
        pytest.param("".join(chr(ord(one) - 29) for one in PROSE), True, id="glyphs of TrueType, with controls"),
        pytest.param("".join(chr(ord(one) - 29) for one in PROSE if one != " "), True, id="glyphs without blanks"),
        pytest.param("".join(chr(0xE000 + ord(one)) for one in PROSE), True, id="private characters"),
        pytest.param("".join(chr(0x200 + ord(one)) for one in PROSE), True, id="phonetic letters"),
        pytest.param("\u03b1\u0431\u05d0\u0628\u0905\u0e01" * 8, True, id="letters of six scripts"),
        pytest.param("0 20 40 60 80 100 Easy Medium Hard 0.2 0.4 0.6", False, id="numbers of a figure"),
        pytest.param("%&/(5667%%8%%9:;<=>;%?@?" * 3, True, id="signs"),
        pytest.param("の削除・インストールについて【場合】の削除、メニューの", False, id="Japanese"),
        pytest.param("Uvolnění vinkulace je možné jen se souhlasem", False, id="Czech"),
        pytest.param("\x01\x02\x03", False, id="too few to judge"),
    ],
)
def test_pages_of_codes(text: str, unreadable: bool) -> None:
    assert is_unreadable(page(text)) is unreadable


def test_a_small_share_of_a_page_does_not_drop_it() -> None:
    formulas = "".join(chr(0xF000 + n) for n in range(30))
    assert not is_unreadable(page(formulas, PROSE * 3))
    assert is_unreadable(page(formulas, PROSE))
