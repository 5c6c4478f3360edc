"""The first hundred faults are listed, the others counted."""

from curation.core.protocols import ReadTally
from curation.sources.faults import note_fault


def test_the_hundredth_and_the_one_after() -> None:
    tally = ReadTally()
    for offset in range(101):
        note_fault(tally, "f", offset, "e")
    assert len(tally.faults) == 100
    assert tally.faults[99] == {"file": "f", "offset": 99, "error": "e"}
    assert tally.records == {"faults.unlisted": 1}
