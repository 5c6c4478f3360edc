"""Groups document shards for token shards: consecutive ones of a source, until they hold enough tokens.

The commits of the tokenize stage say how many tokens a shard holds, so grouping reads no files, and the same shards
give the same token shards for any number of workers.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from curation.core import storage
from curation.core.commits import Part
from curation.engine.run.part_files import part_name

TOKEN_SHARD_BYTES = 512 << 20  # of tokens; a unit takes shards until it has so many. A change needs a new Pack.version.
MOST_SHARDS = 1000  # in one unit, however few tokens they hold


@dataclass(frozen=True)
class ShardRun:
    """Consecutive shards of one source. `number`: the first one's number in its stage's folder; `first`: its number
    among all shards that the pack stage reads."""

    source: str
    folder: str
    number: int
    first: int
    count: int

    @property
    def paths(self) -> list[str]:
        """The shards' part files, in order."""
        return [storage.join(self.folder, part_name(self.number + place)) for place in range(self.count)]

    @property
    def path(self) -> str:
        """The part files in a few words, for messages."""
        first = storage.join(self.folder, part_name(self.number))
        return first if self.count == 1 else f"{first} to {part_name(self.number + self.count - 1)}"


def token_units(upstream: Iterable[tuple[str, Sequence[Part]]], item_bytes: int) -> list[ShardRun]:
    """What each pack unit reads, in order. `upstream`: folder and part files of each tokenize stage; `item_bytes` of a
    token."""
    units: list[ShardRun] = []
    first = 0
    for folder, parts in upstream:
        number = 0
        for source, own in groupby(parts, key=lambda part: part.source):
            for count in _counts(part.tokens * item_bytes for part in own):
                units.append(ShardRun(source, folder, number, first + number, count))
                number += count
        first += number
    return units


def _counts(sizes: Iterable[int]) -> list[int]:
    """Bytes of each shard's tokens -> how many shards each unit takes. No unit of several shards has more than twice
    TOKEN_SHARD_BYTES; the last has at least half, or would make its neighbour larger than that."""
    units: list[tuple[int, int]] = []  # shards, bytes
    for size in sizes:
        shards, held = units[-1] if units else (MOST_SHARDS, 0)
        if shards == MOST_SHARDS or held >= TOKEN_SHARD_BYTES or held + size > 2 * TOKEN_SHARD_BYTES:
            units.append((1, size))
        else:
            units[-1] = shards + 1, held + size
    if len(units) > 1 and 2 * units[-1][1] < TOKEN_SHARD_BYTES:
        (shards, held), (rest, size) = units[-2:]
        if held + size <= 2 * TOKEN_SHARD_BYTES:
            units[-2:] = [(shards + rest, held + size)]
    return [shards for shards, _ in units]
