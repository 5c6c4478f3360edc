"""Edits of a page's markup: bytes that are replaced, from rules that look at its tags."""

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from curation.extract.prepare.page_tags import PageTags
from curation.text.kernels.compiler.kernel import Grid

EditRows: TypeAlias = Grid[npt.NDArray[np.int64]]  # int64[N, 2]: the bytes that a kernel replaces, as start and end


class Edit(NamedTuple):
    """`text` takes the place of the bytes start:end; nothing is replaced where these are the same."""

    start: int
    end: int
    text: bytes


Rule: TypeAlias = Callable[[bytes, PageTags], Iterable[Edit]]


def edited(page: bytes, edits: Iterable[Edit]) -> bytes:
    """The page after all edits; of two that overlap, the one that starts first counts."""
    pieces: list[bytes] = []
    done = 0
    for start, end, text in sorted(edits, key=_position):
        if start >= done:
            pieces += page[done:start], text
            done = end
    return b"".join([*pieces, page[done:]]) if pieces else page


def _position(edit: Edit) -> int:
    return edit.start
