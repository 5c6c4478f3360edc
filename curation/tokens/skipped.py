"""Windows of a mix that a training left out: skipped.json in its folder, read by the training and by whoever asks which
step saw a document. A window is added where the loss jumped, and its rows are read by no step from then on.
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

from curation.core import storage
from curation.core.manifest import read_json

SKIPPED = "skipped.json"


class SkippedWindow(NamedTuple):
    """`rows` positions of the mix from `position` on, which step number `step`, from 0, and those after it would have
    read."""

    step: int
    position: int
    rows: int
    reason: str


def read_skipped(training: str) -> tuple[SkippedWindow, ...]:
    """Of a training's folder, in the order of their positions."""
    content = read_json(storage.join(training, SKIPPED)) or []
    return tuple(SkippedWindow(**window) for window in content)


def write_skipped(training: str, windows: Sequence[SkippedWindow]) -> None:
    """Whole or not at all."""
    content = json.dumps([window._asdict() for window in windows], indent=2)
    storage.replace_bytes(storage.join(training, SKIPPED), content.encode() + b"\n")


def windows_before(step: int, windows: Sequence[SkippedWindow]) -> list[list[int]]:
    """Position and rows of those that a state after so many steps is without."""
    return [[window.position, window.rows] for window in windows if window.step < step]
