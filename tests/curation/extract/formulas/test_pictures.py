"""Pictures of formulas, and others."""

import pytest

from curation.extract.formulas.pictures import tex_of_picture

WORDPRESS = "https://s0.wp.com/latex.php?bg=ffffff&amp;latex=x%5E2%2B1&amp;s=0"


@pytest.mark.parametrize(
    ("tag", "tex"),
    [
        pytest.param('<img class="latex" alt="x^2">', "x^2", id="a class"),
        pytest.param('<img class="eq tex-math" alt="&alpha;">', "α", id="a part of a class"),
        pytest.param('<img class=math alt="n">', "n", id="a symbol"),
        pytest.param(f'<img src="{WORDPRESS}" alt="x^2+1">', "x^2+1", id="a renderer"),
        pytest.param(f'<img src="{WORDPRESS}">', "x^2+1", id="the renderer's address"),
        pytest.param(
            '<img src="https://latex.codecogs.com/gif.latex?\\dpi{120}&amp;space;\\inline&space;a_1">',
            "a_1",
            id="settings",
        ),
        pytest.param('<img src="/cgi-bin/mathtex.cgi?a+b">', "a b", id="mathtex"),
        pytest.param(
            '<img src="https://wikimedia.org/api/rest_v1/media/math/render/svg/1" alt="{\\displaystyle f}">',
            "{\\displaystyle f}",
            id="MediaWiki",
        ),
        pytest.param('<img src="a.png" alt="x^2">', None, id="any picture"),
        pytest.param('<img class="math" alt="Children in a classroom">', None, id="a description"),
        pytest.param('<img class="aftermath" alt="x^2">', None, id="a longer class"),
        pytest.param('<img class="latex" alt="">', None, id="no text"),
        pytest.param("<img>", None, id="bare"),
        pytest.param('<img class="tex" alt="' + "x" * 100_000 + '">', None, id="too long"),
    ],
)
def test_tex_of_pictures(tag: str, tex: str | None) -> None:
    assert tex_of_picture(tag.encode()) == tex
