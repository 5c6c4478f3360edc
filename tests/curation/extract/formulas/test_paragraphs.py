"""Formulas that begin or fill a box."""

import pytest

from curation.extract.formulas.paragraphs import needs_paragraph


@pytest.mark.parametrize(
    ("page", "inline", "displayed"),
    [
        pytest.param("<div>X</div>", True, True, id="fills a box"),
        pytest.param('<div class="a">\n<span><span>X</span></span> </div>', True, True, id="in spans"),
        pytest.param("<center>X (1)</center>", False, True, id="begins a box"),
        pytest.param("<div>so X</div>", False, False, id="in a sentence"),
        pytest.param("<p>X</p>", False, False, id="in a paragraph"),
        pytest.param("<td>X</td>", False, False, id="in a cell"),
        pytest.param("X", False, False, id="alone"),
    ],
)
def test_who_needs_a_paragraph(page: str, inline: bool, displayed: bool) -> None:
    start = page.index("X")
    assert [needs_paragraph(page.encode(), start, start + 1, display=one) for one in (False, True)] == [
        inline,
        displayed,
    ]
