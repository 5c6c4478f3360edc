"""Text of PDF files: its order, its words and paragraphs, what files say of themselves, and files that do harm."""

import zlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from curation.core.errors import RecipeError
from curation.extract.pdfium import Pdfium
from curation.extract.sandbox.launch import Parsing
from tests.curation.extract.raw_pages import never, raw_pages
from tests.curation.pdf_files import column, pdf, shown, stream

pytest.importorskip("pypdfium2")

PAGE = shown((72, 700, "Tides turn."))
LEFT = [f"The left column has this as its line of number {number:02}" for number in range(8)]
RIGHT = [f"And this is to be read after it, as line of number {number:02}" for number in range(8)]
THIRD = [f"The last of three columns, its number {number:02}" for number in range(8)]


def text(*contents: bytes, **options: Any) -> str:
    found = rows(pdf(*contents, **options))[0]["text"]
    assert isinstance(found, str)
    return found


def rows(*files: bytes | None, made: Pdfium | None = None, **columns: list[object]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (made or Pdfium()).extract(raw_pages(*files, **columns), {}, never).to_pylist()
    return found


def across(*columns: list[tuple[float, float, str]]) -> list[tuple[float, float, str]]:
    """Row by row, as no reader would read columns."""
    return [line for row in zip(*columns, strict=True) for line in row]


def test_columns_are_read_one_after_the_other_whatever_their_order_in_the_file() -> None:
    wide = shown((150, 740, "A Title over Both of Them"), size=18) + b"\n"
    wide += shown((72, 560, "A caption that stands as wide as the whole of the page, over both of its columns, too"))
    above = across(column(72, 700, LEFT), column(320, 700, RIGHT))
    below = across(column(72, 530, RIGHT), column(320, 530, LEFT))
    found = text(wide + b"\n" + shown(*above, *below)).replace("\n\n", " ")
    order = [found.index(part) for part in ("A Title", LEFT[0], LEFT[7], RIGHT[0], RIGHT[7], "A caption")]
    assert order == sorted(order)
    assert found.rindex(RIGHT[7]) < found.rindex(LEFT[0])


def test_three_columns_and_lines_that_are_not_at_one_height() -> None:
    three = across(column(40, 700, LEFT), column(232, 695, RIGHT), column(430, 703, THIRD))
    found = text(shown(*three, size=8))
    order = [found.index(part) for part in (LEFT[0], LEFT[7], RIGHT[0], RIGHT[7], THIRD[0], THIRD[7])]
    assert order == sorted(order)


def test_a_table_is_read_by_its_rows() -> None:
    cells = across(
        *(column(x, 700, [f"{name}{row}" for row in range(9)]) for x, name in ((72, "a"), (250, "b"), (420, "c")))
    )
    assert text(shown(*cells)) == "\n".join(f"a{row}\tb{row}\tc{row}" for row in range(9))


def test_items_begin_with_one_mark() -> None:
    lines = (
        "Three things that are to be told apart here, and one",
        "\u2022 bread",
        "\u2022 butter that has no end at all and none on its own",
        "line",
    )
    assert text(shown(*column(72, 700, lines))).split("\n")[1:] == [
        "- bread",
        "- butter that has no end at all and none on its own line",
    ]


def test_a_turned_page_is_read_as_it_is_shown_and_text_that_runs_upwards_last() -> None:
    turned = b"0 1 -1 0 612 0 cm\n" + shown((72, 500, "The first line is here."), (72, 488, "The second is below."))
    upwards = b"\nBT /F 10 Tf 0 1 -1 0 590 100 Tm (arXiv:0000.00000 stamp) Tj ET"
    assert text(turned + b"\n", extra="/Rotate 90") == "The first line is here. The second is below."
    assert text(shown((72, 700, "Level.")) + upwards) == "Level.\n\narXiv:0000.00000 stamp"


@pytest.mark.parametrize(
    ("lines", "joined"),
    [
        pytest.param(("of a word that is hyphen-", "ated here"), "of a word that is hyphenated here", id="hyphen"),
        pytest.param(("seen by an Anglo-", "Saxon who is"), "seen by an Anglo-Saxon who is", id="before a capital"),
        pytest.param(("a well-known and well-", "known word is"), "a well-known and well-known word is", id="compound"),
        pytest.param(("pages 10-", "20 of it there"), "pages 10-20 of it there", id="numbers"),
        pytest.param(("so it is seen here -", "or is not, here"), "so it is seen here - or is not, here", id="dash"),
    ],
)
def test_words_over_the_ends_of_lines(lines: tuple[str, str], joined: str) -> None:
    assert text(shown(*column(72, 700, lines))) == joined


def test_paragraphs_begin_behind_gaps_and_where_lines_stand_further_in() -> None:
    full = "This line is as long as the column in which it stands."
    indented = full[:-4] + "."
    lines = [(72, 700, full), (72, 688, "It ends early."), (84, 676, indented), (72, 664, full)]
    found = text(shown(*lines, (72, 640, full), (72, 628, full), (72, 616, full)))
    assert found.split("\n\n") == [
        f"{full} It ends early.",
        f"{indented} {full}",
        f"{full} {full} {full}",
    ]


def test_what_repeats_at_the_edges_of_pages_is_cut_and_counted_and_words_go_on_behind_it() -> None:
    bodies = ("It begins here and is then cut inter-", "rupted by the end of a page, but goes", "on until it ends.")
    pages = [
        shown((72, 760, f"Annals of Ships {number}"), (72, 700, body), (300, 40, f"{number}"))
        for number, body in enumerate(bodies, 1)
    ]
    (row,) = rows(pdf(*pages))
    assert row["text"] == "It begins here and is then cut interrupted by the end of a page, but goes on until it ends."
    assert row["extract"]["lines_cut"] == 6
    (row,) = rows(pdf(*pages[:2]))
    assert "Annals of Ships 2" in row["text"]
    assert row["extract"]["lines_cut"] == 0


def test_a_paragraph_goes_on_behind_the_footnote_and_the_figure_that_interrupt_it() -> None:
    left = [f"the left column has lines like this one, of number {number:02}" for number in range(7)]
    left.append("and the last of them goes on in the next of both, one")
    right = ["which begins with small letters, and so it goes on", "up to its end."]
    note = shown((72, 592, "1 A note in small letters that stands at the foot."), size=7)
    figure = shown((330, 724, "Depth in m"), size=6)
    caption = shown((320, 712, "Figure 1. The tide, hour by hour, at the mouth of the river."), size=8)
    page = (
        shown(*column(72, 700, left), *column(320, 690, right), *column(320, 654, RIGHT))
        + b"\n"
        + note
        + b"\n"
        + figure
        + b"\n"
        + caption
    )
    first, *others = text(page).split("\n\n")
    assert first.endswith(
        "the last of them goes on in the next of both, one which begins with small letters, and so "
        "it goes on up to its end."
    )
    assert others[0] == "1 A note in small letters that stands at the foot."
    assert others[1:3] == ["Depth in m", "Figure 1. The tide, hour by hour, at the mouth of the river."]
    assert others[3].startswith(RIGHT[0])


def test_references_in_small_letters_are_no_footnote() -> None:
    left = (
        shown(*column(72, 700, LEFT))
        + b"\n"
        + shown(*column(72, 596, [f"[{n}] A, B. On tides." for n in range(1, 6)]), size=7)
    )
    right = shown(
        *column(320, 700, [f"[{n}] C, D. On mud, and how to walk on it in winter." for n in range(6, 17)]), size=7
    )
    found = text(left + b"\n" + right)
    assert [found.index(f"[{n}]") for n in range(1, 17)] == sorted(found.index(f"[{n}]") for n in range(1, 17))


def test_what_a_file_says_of_itself() -> None:
    info = {"Title": " On  Tides", "Producer": "A press", "CreationDate": "D:20200131120000+01'00'"}
    file = pdf(shown((72, 700, "Tides turn.")), b"", info=info)
    stated = datetime(2024, 1, 1, tzinfo=UTC)
    own, other = rows(file, file, crawled_at=[None, stated], preferences=["x-robots-tag: noai", None])
    assert own["extract"] == {
        **{"pages": 2, "pages_without_text": 1, "pages_damaged": 0, "pages_no_unicode": 0, "lines_cut": 0},
        **{"title": "On Tides", "producer": "A press", "preferences": "x-robots-tag: noai", "parser": "pdfium"},
    }
    assert (own["crawled_at"], other["crawled_at"]) == (datetime(2020, 1, 31, 11, tzinfo=UTC), stated)
    (odd,) = rows(pdf(shown((72, 700, "Tides turn.")), info={"CreationDate": "D:20209931"}))
    assert (odd["text"], odd["crawled_at"], odd["extract"]["title"]) == ("Tides turn.", None, None)
    file = pdf(shown((72, 700, "Tides turn.")), info={"Title": "abcdefgh"})
    (half,) = rows(file.replace(b"(abcdefgh)", b"<FEFFD83D>"))  # of a surrogate pair
    assert (half["text"], half["extract"]["title"]) == ("Tides turn.", None)


def test_pages_of_glyph_codes_are_dropped_and_counted_and_a_file_of_them_has_its_reason() -> None:
    prose = b"Bread that is baked while the oven is still hot will be dry by the evening"
    codes = bytes(one - 29 for one in prose)  # the glyphs of a TrueType font
    (mixed,) = rows(pdf(b"/X Do", PAGE, **glyphs(codes)))
    assert (mixed["text"], mixed["drop_reason"]) == ("Tides turn.", None)
    assert mixed["extract"]["pages_no_unicode"] == 1
    (alone,) = rows(pdf(b"/X Do", **glyphs(codes)))
    assert (alone["text"], alone["drop_reason"]) == (None, "extract:no_unicode")
    assert text(b"/X Do", **glyphs(prose)) == prose.decode()


def glyphs(codes: bytes) -> dict[str, Any]:
    """A form, X, in a font that names its glyphs so that none has a Unicode."""
    names = " ".join(f"/g{number}" for number in range(1, 127))
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /AAAAAA+Own /FirstChar 1 /LastChar 126 "
    font += f"/Widths [{'500 ' * 126}] /Encoding << /Differences [1 {names}] >> >>"
    head = "/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /G 6 0 R >> >>"
    form = stream(b"BT /G 10 Tf 72 600 Td <%s> Tj ET" % codes.hex().encode(), head)
    return {"resources": "/XObject << /X 5 0 R >>", "objects": [form, font.encode()]}


LOCK = b"<< /Filter /Standard /V 1 /R 2 /P -4 /O (%s) /U (%s) >>" % (b"o" * 32, b"u" * 32)


@pytest.mark.parametrize(
    ("file", "cause"),
    [
        pytest.param(pdf(PAGE, objects=[LOCK], trailer="/Encrypt 5 0 R /ID [(a) (a)]"), "encrypted", id="password"),
        pytest.param(pdf(b"0 0 9 9 re f"), "no_text", id="a picture alone"),
        pytest.param(b"<html>" + PAGE, "not_pdf", id="another format"),
        pytest.param(pdf(PAGE)[:400], "damaged", id="cut short"),
        pytest.param(pdf(PAGE, kids=100_000), "too_many_pages", id="100,000 pages"),
        pytest.param(pdf(PAGE, objects=[b"<< /Length 9 >>\nstream\nBT"] * 501), "damaged", id="streams without an end"),
        pytest.param(pdf(PAGE) + b"7 0 obj << >> endobj\n" * 501, "damaged", id="one object 501 times"),
        pytest.param(None, "empty", id="no content"),
    ],
)
def test_a_file_without_text_has_its_reason_and_costs_no_other(file: bytes | None, cause: str) -> None:
    found = rows(pdf(PAGE), file, pdf(PAGE))
    assert [row["drop_reason"] for row in found] == [None, f"extract:{cause}", None]
    assert [row["text"] for row in found] == ["Tides turn.", None, "Tides turn."]


def forms(contents: list[bytes], entries: str = "") -> dict[str, Any]:
    """A page that shows the first of these forms, each of which has the next as X."""
    head = "/Type /XObject /Subtype /Form /BBox [0 0 9 9]"
    made = [
        stream(content, f"{head} {entries} /Resources << /XObject << /X {6 + number} 0 R >> >>")
        for number, content in enumerate(contents)
    ]
    return {"resources": "/XObject << /X 5 0 R >>", "objects": [*made, stream(b"", head)]}


def endless() -> bytes:
    """Each of 28 forms shows the next twice."""
    return pdf(b"/X Do", **forms([b"/X Do /X Do"] * 28))


def bomb() -> bytes:
    """300 MB of blanks in 0.3 MB."""
    packer = zlib.compressobj()
    packed = b"".join([packer.compress(b" " * (1 << 20)) for _ in range(300)]) + packer.flush()
    return pdf(b"/X Do", **forms([packed], "/Filter /FlateDecode"))


def caught(made: Pdfium, file: bytes) -> tuple[list[str | None], list[str | None], list[str]]:
    causes: list[str] = []
    found = made.extract(raw_pages(file, pdf(PAGE)), {}, lambda _, cause: causes.append(cause))
    return found.column("drop_reason").to_pylist(), found.column("text").to_pylist(), causes


@pytest.mark.parametrize(
    ("make", "made", "cause"),
    [
        pytest.param(endless, Pdfium(timeout_seconds=2), "timeout", id="content without end"),
        pytest.param(bomb, Pdfium(memory_mb=640), "crash", id="a stream that eats memory"),
    ],
)
def test_a_file_that_harms_its_process_costs_only_itself(make: Any, made: Pdfium, cause: str) -> None:
    assert caught(made, make()) == ([f"extract:{cause}", None], [None, "Tides turn."], [cause])


@dataclass(frozen=True, kw_only=True)
class Killed(Pdfium):
    """With a parser that kills its process on a file that says so."""

    def _parsing(self) -> Parsing:
        return Parsing("tests.curation.extract.hostile:killed_by", "{}", 60.0, 512, markup=False)


def test_a_file_that_kills_its_process_costs_only_itself() -> None:
    assert caught(Killed(), b"kill") == (["extract:crash", None], [None, "read"], ["crash"])


def test_limits_under_which_nothing_works_are_refused() -> None:
    with pytest.raises(RecipeError, match="max_pages is 0; give 1 or more"):
        Pdfium(max_pages=0)
    with pytest.raises(RecipeError, match="timeout_seconds is 0; it must be above 0"):
        Pdfium(timeout_seconds=0)
