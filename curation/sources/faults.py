"""Notes damage in an input: the first faults of a unit in full, the rest as a count, so that memory is bounded."""

from curation.core.protocols import ReadTally

MAX_LISTED = 100


def note_fault(tally: ReadTally, file: str, offset: int, error: str) -> None:
    """Adds to `tally.faults`, or counts `faults.unlisted` once there are `MAX_LISTED`."""
    if len(tally.faults) < MAX_LISTED:
        tally.faults.append({"file": file, "offset": offset, "error": error})
    else:
        tally.records["faults.unlisted"] += 1
