"""Edits of a page's markup: bytes that are replaced, from rules that look at its tags."""

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from curation.extract.prepare.page_tags import Bools, PageTags
from curation.text.kernels.compiler.kernel import Grid

EditRows: TypeAlias = Grid[npt.NDArray[np.int64]]  # int64[N, 2]: the bytes that a kernel replaces, as start and end


class Edit(NamedTuple):
    """`text` takes the place of the bytes start:end; nothing is replaced where these are the same."""

    start: int
    end: int
    text: bytes


class PageRule(NamedTuple):
    """A function from a page and its tags to edits, and the elements, bool[E], without which it finds nothing."""

    edits: Callable[[bytes, PageTags], Iterable[Edit]]
    of: Bools


def changed(page: bytes, tags: PageTags, *rules: PageRule) -> bytes:
    """The page after the edits of all rules, which see it as it is."""
    return edited(page, (edit for rule in rules if (rule.of & tags.present).any() for edit in rule.edits(page, tags)))


def edited(page: bytes, edits: Iterable[Edit]) -> bytes:
    """The page after all edits; of two that overlap, the one that starts first counts. What is put in at a place comes
    before what is replaced there."""
    pieces: list[bytes] = []
    done = 0
    for start, end, text in sorted(edits, key=_position):
        if start >= done:
            pieces += page[done:start], text
            done = end
    return b"".join([*pieces, page[done:]]) if pieces else page


def _position(edit: Edit) -> tuple[int, int]:
    return edit.start, edit.end
