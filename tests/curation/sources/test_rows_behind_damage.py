"""Rows of a compressed file behind damage, by the bytes that were passed over."""

from pathlib import Path

import pytest

from curation.core.protocols import ReadTally
from curation.sources.rows_behind_damage import RowsBehindDamage


@pytest.mark.parametrize(
    ("read", "passed", "lost"),
    [
        pytest.param(10, [], 0, id="no damage"),
        pytest.param(10, [(20, None)], 40, id="the rest of the file"),
        pytest.param(10, [(20, 30), (60, None)], 10, id="two places"),
        pytest.param(10, [(99, None)], 0, id="less than a row"),
        pytest.param(0, [(0, None)], 0, id="no row could be read"),
    ],
)
def test_rows_behind_damage(tmp_path: Path, read: int, passed: list[tuple[int, int | None]], lost: int) -> None:
    path = tmp_path / "x.zst"
    path.write_bytes(bytes(100))
    tally = ReadTally()
    tally.rows_of(str(path)).read = read
    damage = RowsBehindDamage(str(path), tally)
    for start, stop in passed:
        damage.fault(start, "damaged")
        damage.passed(start, stop)
    damage.end()
    assert tally.rows_of(str(path)).failed.total() == lost
    assert len(tally.faults) == len(passed)
