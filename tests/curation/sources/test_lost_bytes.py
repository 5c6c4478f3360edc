"""Bytes of an archive that nothing was read of, by the offsets of faults and records."""

import pytest

from curation.sources.lost_bytes import LostBytes


@pytest.mark.parametrize(
    ("events", "lost"),
    [
        pytest.param([10, 50], 0, id="records alone"),
        pytest.param(["0"], 100, id="no record"),
        pytest.param(["0", 60], 60, id="a record behind damage"),
        pytest.param([0, "30", "40", 70], 40, id="two faults before the next record"),
        pytest.param([0, "30", 30, 70], 0, id="a fault of a record that is read all the same"),
        pytest.param([0, "30", 70, "90"], 50, id="and the end is missing"),
        pytest.param([0, 80, "0"], 20, id="a member that is cut off behind its last record"),
        pytest.param([0, 300, "0"], 0, id="and decompresses to more than its file"),
    ],
)
def test_lost_bytes(events: list[int | str], lost: int) -> None:
    told: list[tuple[int, int]] = []
    bytes_of = LostBytes(100, lambda size, lost, offset, error: told.append((size, lost)))
    for event in events:
        if isinstance(event, str):
            bytes_of.fault(int(event), "damage")
        else:
            bytes_of.record(event)
    bytes_of.end()
    assert told == [(100, lost)]


def test_the_first_fault_is_told() -> None:
    told: list[object] = []
    bytes_of = LostBytes(9, lambda *figures: told.append(figures))
    bytes_of.fault(3, "cut")
    bytes_of.fault(5, "gone")
    bytes_of.end()
    assert told == [(9, 6, 3, "cut")]
