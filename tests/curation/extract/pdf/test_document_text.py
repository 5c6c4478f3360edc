"""Lines of pages as one text: what stands between them, and characters that no text keeps."""

import pytest

from curation.extract.pdf.document_text import document_text
from curation.extract.pdf.line_flow import COLUMN, GOES_ON, LINE, PARAGRAPH
from curation.extract.pdf.page_lines import PageLine


def lined(text: str, follows: int, middle: float, size: float = 10.0, column: int = 0, **more: bool) -> PageLine:
    return PageLine(text, follows, middle, size, column, **{"full": True, "row": False, "typed": False, **more})


def joined(*lines: tuple[str, int]) -> str:
    page = [lined(text, follows, 700.0 - 12 * number) for number, (text, follows) in enumerate(lines)]
    return document_text([page])[0]


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        pytest.param("a line", ("and another", GOES_ON), "a line and another", id="of one paragraph"),
        pytest.param("a line", ("and another", LINE), "a line\nand another", id="a line of its own"),
        pytest.param("a line", ("and another", PARAGRAPH), "a line\n\nand another", id="a paragraph"),
        pytest.param("cut by", ("its column", COLUMN), "cut by its column", id="a sentence over two columns"),
        pytest.param("It ends.", ("iPods begin", COLUMN), "It ends.\n\niPods begin", id="behind a sentence"),
        pytest.param("A heading", ("Another", COLUMN), "A heading\n\nAnother", id="before a capital"),
        pytest.param("inter\u00ad", ("rupted", GOES_ON), "interrupted", id="a soft hyphen"),
        pytest.param("inter\x02", ("rupted", GOES_ON), "interrupted", id="PDFium's hyphen"),
        pytest.param("東京は", ("大きい", GOES_ON), "東京は大きい", id="Japanese"),
        pytest.param("ﬁne eﬃ\u00adcient", ("ﬂow\x01\ufffe", GOES_ON), "fine efficient flow", id="ligatures, no text"),
        pytest.param("a line", ("\x01\x02", PARAGRAPH), "a line", id="a line of no characters"),
        pytest.param("-", ("a dash", GOES_ON), "- a dash", id="a hyphen alone"),
    ],
)
def test_what_stands_between_lines(first: str, second: tuple[str, int], text: str) -> None:
    assert joined((first, COLUMN), second) == text


def page(number: int, head: str, foot: str, y: float = 0.0) -> list[PageLine]:
    middles = (760.0 + y, 700.0, 600.0, 500.0, 40.0)
    texts = (head, *(f"{word} of {'abcdefg'[number]}" for word in ("first", "second", "third")), foot)
    return [lined(text, LINE, middle) for text, middle in zip(texts, middles, strict=True)]


@pytest.mark.parametrize(
    ("pages", "cut"),
    [
        pytest.param([page(n, f"Ships, {n}", f"- {n} -") for n in range(3)], 6, id="head and foot with numbers"),
        pytest.param([page(n, "Ships", "1") for n in range(2)], 0, id="on two pages"),
        pytest.param([page(n, "xyz"[n], ("iv", "v", "vi")[n]) for n in range(3)], 3, id="Roman numbers"),
        pytest.param([page(n, "Ships", "uvw"[n], y=40.0 * n) for n in range(3)], 0, id="at three heights"),
    ],
)
def test_what_repeats_at_the_edges_of_three_pages_is_cut(pages: list[list[PageLine]], cut: int) -> None:
    text, lines = document_text(pages)
    assert lines == cut
    assert text.count("second of") == len(pages)


def test_no_pages_have_no_text() -> None:
    assert document_text([]) == ("", 0)
