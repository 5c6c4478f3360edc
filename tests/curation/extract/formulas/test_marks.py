"""Which pages can hold formulas, and where their tags are."""

import numpy as np
import pytest

from curation.extract.formulas.marks import ELEMENT, IMAGE, LOADER, NAMES, SCRIPT, marks, tags


@pytest.mark.parametrize(
    ("page", "kinds"),
    [
        pytest.param(b"<math>", ELEMENT, id="MathML"),
        pytest.param(b"<MML:Math>", ELEMENT, id="with a prefix"),
        pytest.param(b'<script type="math/tex">', SCRIPT, id="a script"),
        pytest.param(b"cdn/MathJax.js", LOADER, id="MathJax"),
        pytest.param(b"KaTeX_Main", LOADER, id="KaTeX"),
        pytest.param(b"latex.php?latex=x", IMAGE, id="a renderer"),
        pytest.param(b"cgi-bin/mimetex.cgi", IMAGE, id="mimetex"),
        pytest.param(b"mathtex.cgi", IMAGE, id="mathtex"),
        pytest.param(b"<img class='tex'>", IMAGE, id="a class"),
        pytest.param(b'<img class="math inline">', IMAGE, id="one of several"),
        pytest.param(b"<math>katex", ELEMENT | LOADER, id="two"),
        pytest.param(b"Math.max(1) text/javascript latest context", 0, id="no mark"),
        pytest.param(b'"Math" type="text/css" aftermath', 0, id="nearly a mark"),
        pytest.param(b"translateX(1) :Math.round <mathematics", 0, id="parts of other words"),
        pytest.param(b'title="Mathematics" alt="text"', 0, id="longer words"),
        pytest.param(b"tex", 0, id="short"),
        pytest.param(b"mat", 0, id="cut off"),
        pytest.param(b"", 0, id="empty"),
    ],
)
def test_marks(page: bytes, kinds: int) -> None:
    assert marks(page) == kinds


@pytest.mark.parametrize("before", [0, 1, 59, 60, 63, 64, 127, 1000])
def test_a_mark_is_found_wherever_it_stands(before: int) -> None:
    assert marks(b" " * before + b"<math") == ELEMENT
    assert marks(b" " * before + b"<math>" + b"x" * 100) == ELEMENT


def found(page: bytes) -> list[tuple[str, str, int]]:
    """Tag as written, name and partner's row."""
    return [(page[a:b].decode(), NAMES[name], int(partner)) for a, b, name, _, partner in tags(page).tolist()]


def test_tags_and_their_partners() -> None:
    page = b"<p><SPAN a='>'>x<span>y</span></span><img src=a><math><mi>"
    assert found(page) == [
        ("<SPAN a='>'>", "span", 3),
        ("<span>", "span", 2),
        ("</span>", "span", 1),
        ("</span>", "span", 0),
        ("<img src=a>", "img", -1),
        ("<math>", "math", -1),
    ]


def test_comments_and_the_text_of_scripts_hold_no_tags() -> None:
    page = b'<!-- <math> --><script>"<math>"</script><style><math></style><math></math></span>'
    assert [(tag, partner) for tag, _, partner in found(page)] == [
        ("<script>", 1),
        ("</script>", 0),
        ("<math>", 3),
        ("</math>", 2),
        ("</span>", -1),
    ]


def test_unclosed_elements_have_no_partner() -> None:
    page = b"<span>" * 3 + b"</span>"
    assert [partner for _, _, partner in found(page)] == [-1, -1, 3, 2]
    assert np.array_equal(tags(b"<span"), np.zeros((0, 5), np.int64))
