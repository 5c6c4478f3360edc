"""How a failed unit is told."""

import numpy as np
import pytest

from curation.core.protocols import Piece
from curation.engine.executor.failures import Failure, described, stage_error
from curation.engine.executor.work import Unit
from curation.engine.run.sent_files import Slices


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        (("run/03-b/part-00000.parquet", "run/02-a/part-00000.parquet"), "run/03-b/part-00000.parquet"),
        ((Piece("s3://me:secret@b/a.warc"), Piece("b.warc")), "s3://***@b/a.warc and 1 more"),
        ({"rows": Slices("run/03-b", "_step", "rows", np.empty((0, 2)))}, "run/03-b/_step/rows-*.arrow"),
        (None, "a bucket"),
    ],
)
def test_what_a_unit_reads(payload: object, words: str) -> None:
    assert described(Unit(0, payload)) == words


def test_what_failed_is_named() -> None:
    units = [Unit(number, f"input-{number}") for number in range(3)]
    first = Failure(
        1, "OSError: disk", "Traceback …\n", "n1" * 8, "host", attempt=4, before=("attempt 3 on node unknown: died",)
    )
    error = stage_error("gopher", "filter", [first, Failure(2, "died", attempt=4)], units)
    assert str(error) == (
        "gopher: unit 1 of step 'filter' failed 4 times, and 1 more units: OSError: disk; its input is input-1; mend "
        "the cause and run the same command again"
    )
    assert error.details.splitlines() == [
        "unit 1, input-1",
        "attempt 3 on node unknown: died",
        "attempt 4 on node host (n1n1n1n1): OSError: disk",
        "Traceback …",
        "",
        "unit 2, input-2",
        "attempt 4 on node unknown: died",
    ]
