"""Causes of lost text, by hand."""

import pytest

from benchmarks.extraction.causes import losses
from benchmarks.extraction.visible import visible

SENTENCE = "The river rose in the night, and the fields were under water."


def causes(html: str, text: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for loss in losses(visible(html), text)[1]:
        found[loss.cause] = found.get(loss.cause, 0) + loss.characters
    return found


@pytest.mark.parametrize(
    ("markup", "cause", "characters"),
    [
        pytest.param("<b>梅</b>", "three bytes", 1, id="three bytes"),
        pytest.param("<code>,&nbsp;</code>", "three bytes", 1, id="three bytes with a space"),
        pytest.param("<b>梅花</b>", "<b>", 2, id="bold"),
        pytest.param("<time>3 May</time>", "<time>", 4, id="time"),
        pytest.param("<sup>2</sup>", "<sup>", 1, id="raised"),
        pytest.param("<sup><a href='#1'>1</a></sup>", "footnote mark (on purpose)", 1, id="a footnote's mark"),
        pytest.param("<i>\ue001</i>", "icon or pilcrow (on purpose)", 1, id="an icon"),
        pytest.param("\u200b", "invisible or combining characters", 1, id="invisible"),
        pytest.param("<math><mi>x</mi></math>", "formula", 1, id="a formula"),
        pytest.param("<blink>so</blink>", "other inline element", 2, id="another element"),
    ],
)
def test_inside_a_block(markup: str, cause: str, characters: int) -> None:
    assert causes(f"<p>{SENTENCE} {markup} {SENTENCE}", f"{SENTENCE} {SENTENCE}") == {
        f"inside a kept block: {cause}": characters
    }


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        pytest.param("<figure>Words</figure>", {"block amid kept ones: in <figure>": 5}, id="in a figure"),
        pytest.param("<div><label>Name</label></div>", {"block amid kept ones: <label> alone": 4}, id="a label"),
        pytest.param("<p>的</p>", {"block amid kept ones: three bytes": 1}, id="three bytes"),
        pytest.param("<p>By <b>Eve</b></p>", {"block amid kept ones: paragraph": 5}, id="a paragraph"),
    ],
)
def test_between_kept_blocks(markup: str, expected: dict[str, int]) -> None:
    assert causes(f"<p>{SENTENCE}</p>{markup}<p>{SENTENCE}</p>", f"{SENTENCE}\n\n{SENTENCE}") == expected


def test_blocks_at_the_end_were_not_chosen() -> None:
    assert causes(f"<p>{SENTENCE}</p><footer>Imprint</footer>", SENTENCE) == {
        "block: navigation, header, footer, aside": 7
    }


def test_half_of_a_block_is_a_block_that_is_there() -> None:
    html = "<p>Words here</p><p>abcdefgh<b>ijklmnop</b></p><p>More words</p>"
    assert causes(html, "Words here\n\nabcdefgh\n\nMore words") == {"inside a kept block: <b>": 8}
    assert causes(html.replace("ijk", "ijkk"), "Words here\n\nabcdefgh\n\nMore words") == {
        "block amid kept ones: less than half is kept": 9
    }


def test_a_formula_in_a_text_with_tex_is_lost_on_purpose() -> None:
    html = f"<p>{SENTENCE} <math><mi>xy</mi></math> {SENTENCE}"
    assert causes(html, f"{SENTENCE} $z$ {SENTENCE}") == {
        "inside a kept block: formula, TeX in its place (on purpose)": 2
    }


@pytest.mark.parametrize(
    ("html", "text", "cause"),
    [
        pytest.param("one two", "onetwo", "words joined at a blank", id="a blank"),
        pytest.param("one<br>two", "onetwo", "words joined at a <br>", id="a break"),
        pytest.param("<p>one<p>two", "onetwo", "words joined between blocks", id="blocks"),
        pytest.param("onetwo", "one two", "word cut in a run", id="a blank too many"),
        pytest.param("one<b>two</b>", "one two", "word cut between inline elements", id="a blank at a tag"),
    ],
)
def test_white_space(html: str, text: str, cause: str) -> None:
    assert causes(html, text) == {f"white space: {cause}": 1}


def test_an_indent_counts_its_blanks() -> None:
    assert causes("<pre>if a:\n    b()</pre>", "if a:\n  b()") == {"white space: indent of a preformatted line": 2}


def test_wide_characters_need_no_blank() -> None:
    assert causes("<p>東京\n大阪</p>", "東京大阪") == {}
