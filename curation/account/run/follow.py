"""Follows rows from a stage to the end of the run by their order alone: no key is looked up and no text is read.

The kept rows of a stage, in order, are the rows of the stage that reads it; so a row's number there is the number of
kept rows before it. N = rows of a shard, F = rows followed.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from curation.account.run import rows
from curation.account.tune.limits import Stages
from curation.core import storage
from curation.core.parquet_file import open_parquet

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Step:
    """Where the rows still followed are in a later stage: `which` of the F rows, their `rows` there, and if `kept`."""

    stage: int
    shard: int
    which: Ints
    rows: Ints
    kept: Bools


def following(stages: Stages, index: int, shard: int = 0) -> tuple[int, int] | None:
    """The stage that reads this one's rows, and the shard's number there; None after the last with rows."""
    address = stages[index][0].address
    parts = {entry.address: len(manifest.parts) for entry, _, manifest in stages}
    for later in range(index + 1, len(stages)):
        manifest = stages[later][2]
        upstream = manifest.address_parts["upstream"]
        if address in upstream and manifest.verb.maps_rows:
            return later, shard + sum(parts[one] for one in upstream[: upstream.index(address)])
    return None


def later_stages(stages: Stages, index: int) -> list[int]:
    """All stages that a stage's rows go through after it, in order."""
    found = []
    step = following(stages, index)
    while step is not None:
        found.append(step[0])
        step = following(stages, step[0])
    return found


def follow(stages: Stages, index: int, shard: int, rows: Ints, kept: Bools) -> Iterator[Step]:
    """A step per later stage; `rows` int64[F] are kept ones of the shard, `kept` bool[N] is of all its rows."""
    which = np.arange(len(rows))
    at = following(stages, index, shard)
    while at is not None and len(which):
        rows = np.cumsum(kept)[rows] - 1
        kept = kept_rows(stages, *at)
        yield Step(*at, which, rows, kept[rows])
        which, rows = which[kept[rows]], rows[kept[rows]]
        at = following(stages, *at)


def kept_rows(stages: Stages, index: int, shard: int) -> Bools:
    """bool[N]: the shard's rows without a drop reason."""
    _, path, manifest = stages[index]
    return rows.kept_rows(path, manifest, shard)


def token_counts(stages: Stages, index: int, shard: int, rows: Ints) -> Ints:
    """int64[F]: tokens of some rows of a tokenize stage; reads the row groups in which they are, several at a time."""
    _, path, manifest = stages[index]
    file = storage.join(path, manifest.parts[shard].file)
    with open_parquet(file) as parquet:
        metadata = parquet.metadata
    ends = np.cumsum([metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)], dtype=np.int64)
    groups = np.searchsorted(ends, rows, side="right")

    def lengths(group: int) -> Ints:
        with open_parquet(file, metadata) as parquet:
            found = pc.list_value_length(parquet.read_row_group(group, columns=["tokens"])["tokens"])
        own: Ints = np.asarray(pc.fill_null(found, 0), np.int64)[rows[groups == group] - ends[group]]  # from the end
        return own

    counts = np.zeros(len(rows), np.int64)
    with ThreadPoolExecutor() as pool:
        wanted = np.unique(groups).tolist()
        for group, found in zip(wanted, pool.map(lengths, wanted), strict=True):
            counts[groups == group] = found
    return counts
