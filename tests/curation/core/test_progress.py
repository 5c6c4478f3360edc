"""A stage's progress as figures and as a line of the log."""

import pytest

from curation.core.progress import Progress, duration
from tests.support import table


def progress(**changes: object) -> Progress:
    values: dict[str, object] = {"done": 3, "units": 12, "documents": 2000, "seconds": 10.0, "kept": 500}
    return Progress("gopher", "filter", **{**values, "text_bytes": 50_000_000, **changes})  # type: ignore[arg-type]


@table(
    ("now", "line"),
    {
        "running": (
            progress(),
            "gopher: filter, 3 of 12 units, 200 documents/s, 5.0 MB/s, 25.0 % kept, 0 errors, 0 retries, 30 s left",
        ),
        "resumed": (
            progress(
                found=1, found_documents=1000, found_text_bytes=40_000_000, errors=2, retries=1, failure="unit 7, x"
            ),
            "gopher: filter, 3 of 12 units, 100 documents/s, 1.0 MB/s, 25.0 % kept, 2 errors, 1 retry (last: unit 7, "
            "x), 45 s left",
        ),
        "without documents, no unit done": (
            Progress("dedup", "collide", done=0, units=4, seconds=70.0),
            "dedup: collide, 0 of 4 units, 0 retries",
        ),
        "slow": (
            progress(text_bytes=470_000),
            "gopher: filter, 3 of 12 units, 200 documents/s, 47 kB/s, 25.0 % kept, 0 errors, 0 retries, 30 s left",
        ),
        "start": (Progress("gopher", "start"), "gopher: begins"),
        "sealed": (Progress("gopher", "sealed"), "gopher: sealed already"),
        "note": (Progress("gopher", "note", note="unit 3 is slow"), "gopher: unit 3 is slow"),
    },
)
def test_line(now: Progress, line: str) -> None:
    assert now.line() == line


def test_the_last_line_says_how_long_the_stage_took() -> None:
    line = Progress("gopher", "done", 12, 12, 100, 125.0, kept=100).line()
    assert line.startswith("gopher: done, 12 of 12 units, 1 documents/s, 0 kB/s, 100.0 % kept")
    assert line.endswith("took 2 min")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "0 s"), (59.9, "60 s"), (60, "1 min"), (3599, "59 min"), (3660, "1 h 1 min"), (180_000, "2 d 2 h")],
)
def test_duration(seconds: float, words: str) -> None:
    assert duration(seconds) == words
