"""What a student learns from one page: its blocks, labelled by what the teachers took of it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from curation.extract.blocks.page import START, STOP, Page
from curation.extract.blocks.sums import Floats
from curation.extract.student.labels import labels


class Lesson(NamedTuple):
    """A page with B labelled blocks."""

    page: Page
    shares: Floats  # float32[B]: of a block's words that are text, the mean over teachers
    words: Floats  # float32[B]
    fold: int  # in which its host is


def lesson_of(page: Page, taught: Sequence[str], fold: int) -> Lesson | None:
    """None for a page that teaches nothing: it has no block, or no teacher took anything of one."""
    blocks = texts_of(page)
    told = [labels(blocks, text) for text in taught]
    if not blocks or not told:
        return None
    shares: Floats = np.stack([shares for shares, _ in told]).mean(axis=0, dtype=np.float32)
    return Lesson(page, shares, told[0][1], fold) if shares.any() else None


def texts_of(page: Page) -> list[str]:
    """The text of each block."""
    text = page.text.tobytes()
    return [text[start:stop].decode() for start, stop in page.blocks[:, [START, STOP]].tolist()]
