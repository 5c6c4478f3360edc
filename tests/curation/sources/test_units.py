"""Grouping of files into units."""

from curation.core.protocols import Piece
from curation.sources.units import group


def test_a_group_closes_before_it_would_pass_the_limit() -> None:
    a = Piece("a")
    b = Piece("b")
    c = Piece("c")
    assert group([(a, 5), (b, 5), (c, 1)], 10) == [(a, b), (c,)]
    assert group([(a, 5), (b, 6), (c, 4)], 10) == [(a,), (b, c)]


def test_a_part_of_a_file_is_alone() -> None:
    a = Piece("a")
    b0 = Piece("b", 0, 3)
    b1 = Piece("b", 3, 6)
    c = Piece("c")
    assert group([(a, 1), (b0, 3), (b1, 3), (c, 1)], 10) == [(a,), (b0,), (b1,), (c,)]


def test_no_files_no_units() -> None:
    assert group([], 10) == []
