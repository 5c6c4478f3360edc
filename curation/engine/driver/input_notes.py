"""Notes on a source's inputs before they are read: files that its paths leave out, and compressed ones that keep
a single core busy while others wait."""

import os
from collections.abc import Iterator, Sequence

from curation.core.credentials import masked
from curation.core.protocols import Piece, Source
from curation.core.wording import counted, listed, size
from curation.engine.recipe.node import Node
from curation.sources.lines import is_compressed

SMALL = 64 << 20  # bytes of a compressed file that one core reads in a minute or less
SHOWN = 5  # names
LISTED = 100  # paths of a source that are listed once more for hidden names


def input_notes(node: Node, units: Sequence[Sequence[Piece]], cores: int | None = None) -> tuple[str, ...]:
    """Notes on a stage that reads inputs, none on any other. `cores`: those of the run, by default of this machine."""
    if not node.verb.begins:
        return ()
    source = node.stage.sole(Source)
    return tuple(map(masked, [*_left_out(source), *_single(source, units, cores or len(os.sched_getaffinity(0)))]))


def _left_out(source: Source) -> Iterator[str]:
    hidden = list(dict.fromkeys(name for pattern in source.paths[:LISTED] for name in source.left_out(pattern)))
    if hidden:
        have = f"{counted(len(hidden), 'file')} {'is' if len(hidden) == 1 else 'are'} not read"
        yield (
            f"{have}, because a folder or glob passes over names that begin with _ or a dot: "
            f"{listed(hidden, SHOWN)}; to read one, name it in `paths`, or by a glob that begins so"
        )


def _single(source: Source, units: Sequence[Sequence[Piece]], cores: int) -> Iterator[str]:
    whole = [piece for unit in units for piece in unit if (piece.start, piece.stop) == (0, -1)]
    large = [piece for piece in whole if piece.size > SMALL and is_compressed(piece.path)]
    if large and len(units) < cores:
        first = max(large, key=lambda piece: piece.size)
        others = f", as are {counted(len(large) - 1, 'other')}" if len(large) > 1 else ""
        yield (
            f"{first.path} ({size(first.size)}) is compressed and so one unit, which one core reads{others}: "
            f"{counted(len(units), 'unit')} for {cores} cores; to use more, {source.way_out}"
        )
