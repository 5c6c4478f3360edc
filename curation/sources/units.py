"""Groups input files into units of work: consecutive small ones together, large ones alone."""

from collections.abc import Iterable

from curation.core.protocols import Piece


def group(pieces: Iterable[tuple[Piece, int]], group_bytes: int) -> list[tuple[Piece, ...]]:
    """Consecutive pieces, each with its size in bytes, joined as long as a unit stays within `group_bytes`.

    A part of a file (not the whole of it) is a unit by itself, and so is a piece that is larger than the limit.
    """
    units: list[tuple[Piece, ...]] = []
    open_unit: list[Piece] = []
    total = 0
    for piece, size in pieces:
        part = piece.start != 0 or piece.stop != -1
        if open_unit and (part or total + size > group_bytes):
            units.append(tuple(open_unit))
            open_unit, total = [], 0
        if part:
            units.append((piece,))
        else:
            open_unit.append(piece)
            total += size
    return [*units, tuple(open_unit)] if open_unit else units
