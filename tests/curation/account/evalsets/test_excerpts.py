"""Marks with some text around them, in text that is redacted first."""

import pyarrow as pa

from curation.account.evalsets.excerpts import AROUND, CUT, GAP, LONGEST, ExcerptPiece, TextSpan, excerpt
from curation.account.redacted import Redactor

PLAIN = Redactor(())


def words(text: pa.Array) -> list[TextSpan]:
    """Every place of the word "mark"."""
    data = text[0].as_py().encode()
    return [TextSpan(at, at + 4) for at in range(len(data)) if data[at : at + 4] == b"mark"]


def test_text_around_and_between() -> None:
    text = f"{'a' * 300} mark and mark {'b' * 300}"
    assert excerpt(text, words, PLAIN, {}) == (
        ExcerptPiece(GAP, False),
        ExcerptPiece("a" * (AROUND - 1) + " ", False),
        ExcerptPiece("mark", True),
        ExcerptPiece(" and ", False),
        ExcerptPiece("mark", True),
        ExcerptPiece(" " + "b" * (AROUND - 1), False),
        ExcerptPiece(CUT, False),
    )


def test_no_halves_of_characters() -> None:
    pieces = excerpt(f"{'é' * 101}mark{'é' * 101}"[1:], words, PLAIN, {})
    assert [piece.text for piece in pieces if set(piece.text) == {"é"}] == ["é" * 50] * 2


def test_a_long_mark_has_its_ends() -> None:
    pieces = excerpt("x" * LONGEST + "y", lambda text: [TextSpan(0, LONGEST + 1)], PLAIN, {})
    half = "x" * (LONGEST // 2)
    assert pieces == (ExcerptPiece(half, True), ExcerptPiece(GAP, False), ExcerptPiece(half[1:] + "y", True))


def test_without_a_mark_the_beginning() -> None:
    assert excerpt("z" * 500, words, PLAIN, {}) == (ExcerptPiece("z" * (2 * AROUND), False), ExcerptPiece(CUT, False))
    assert excerpt("", words, PLAIN, {}) == ()
