"""Draws documents of a stage at random: the same ones for the same seed, from all of its parts.

Each document has a number, its id (a hash) mixed with the seed, and the lowest numbers are drawn. So the draw depends
on neither the order nor the number of parts. Of a very large stage not every id is read: first the parts are drawn,
each as often as its share of the documents asks, which is as fair; then the lowest numbers of each.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.sealed.rows import Ints
from curation.account.sealed.sealed_stage import SealedShard, SealedStage
from curation.core.commits import Part
from curation.core.threads import map_threads

Hashes = npt.NDArray[np.uint64]
VALUES = np.zeros(256, np.uint64)  # of a hexadecimal digit's character
VALUES[np.frombuffer(b"0123456789abcdef", np.uint8)] = np.arange(16)
SHIFTS = np.arange(60, -1, -4).astype(np.uint64)
WHOLE = 20_000_000  # rows of a stage whose ids are all read …
PARTS = 1_000  # … from at most so many parts: some seconds


def drawn(
    stage: SealedStage, most: int, *, seed: int = 0, reason: str | None = None, kept: bool = False
) -> list[tuple[SealedShard, int]]:
    """Shard and row of up to so many documents, in the order of their numbers: of all, of those that the stage kept,
    or of those whose drop reason begins with `reason`."""
    table = stage.manifest.shards
    counts = {number: _matching(table[number], reason, kept) for number in table.filled}
    large = stage.manifest.total("rows") > WHOLE or len(counts) > PARTS
    shares = _shares(counts, most, seed) if large else dict.fromkeys(counts, most)
    asked = [(stage.shards[number], share) for number, share in shares.items() if share and counts[number]]
    lowest = [one for own in map_threads(lambda one: list(_lowest(*one, seed, reason, kept)), asked) for one in own]
    lowest.sort(key=lambda one: one[0])
    return [(shard, row) for _, shard, row in lowest[:most]]


def _matching(part: Part, reason: str | None, kept: bool) -> int:
    if kept:
        return part.kept
    if reason is None:
        return part.rows
    return sum(count for name, count in part.dropped.items() if name.startswith(reason))


def _shares(counts: Mapping[int, int], most: int, seed: int) -> dict[int, int]:
    """Number of documents to draw from each part, as if so many ranks were drawn among all documents."""
    numbers = list(counts)
    ends = np.cumsum([0, *counts.values()])[1:]
    total = sum(counts.values())
    if total <= most:
        return dict(counts)
    ranks: dict[int, None] = {}
    first = 0
    while len(ranks) < most:
        places = np.arange(first, first + most, dtype=np.uint64)
        ranks |= dict.fromkeys((_mixed(places ^ _of_seed(seed)) % np.uint64(total)).tolist())
        first += most
    owners = np.searchsorted(ends, list(ranks)[:most], side="right")
    return {numbers[owner]: count for owner, count in Counter(owners.tolist()).items()}


def _lowest(
    shard: SealedShard, most: int, seed: int, reason: str | None, kept: bool
) -> Iterator[tuple[tuple[int, str], SealedShard, int]]:
    """Number and id, shard, row of its lowest."""
    table = shard.read(["doc_id", "drop_reason"])
    reasons = table["drop_reason"]
    rows: Ints = np.arange(len(table))
    if kept:
        rows = np.flatnonzero(np.asarray(reasons.is_null()))
    elif reason is not None:
        rows = np.flatnonzero(np.asarray(pc.fill_null(pc.starts_with(reasons, reason), False)))
    ids = table["doc_id"].take(rows).combine_chunks().cast(pa.string())
    drawing = _mixed(_prefixes(ids) ^ _of_seed(seed))
    for place in np.argsort(drawing, kind="stable")[:most].tolist():
        yield (int(drawing[place]), ids[place].as_py()), shard, int(rows[place])


def _prefixes(ids: pa.Array) -> Hashes:
    """uint64[N]: the first 16 of each id's hexadecimal digits."""
    digits = VALUES[np.asarray(ids).astype("S32").view(np.uint8).reshape(-1, 32)[:, :16]]
    prefixes: Hashes = np.bitwise_or.reduce(digits << SHIFTS, axis=1)
    return prefixes


def _of_seed(seed: int) -> np.uint64:
    return np.uint64(_mixed(np.array([seed % 2**64], np.uint64))[0])


def _mixed(values: Hashes) -> Hashes:
    """uint64[N] that look drawn, one for each value. Source: Steele et al. 2014, "Fast Splittable Pseudorandom Number
    Generators", SplitMix64."""
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
