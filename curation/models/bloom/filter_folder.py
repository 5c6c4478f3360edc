"""A Bloom filter at rest: a folder with one file per partition, and `bloom.json`, which is written last.

Each partition is read and written alone, by a task of its own. `bloom.json` names every part's checksum, so that its
content identifies the whole filter. A folder without it holds no filter yet.
"""

import dataclasses
import json
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from curation.core import storage
from curation.core.document import bucket_of
from curation.core.errors import InputError, StageError
from curation.core.protocols import Uint64s
from curation.models.bloom.partition import FORMAT, HEADER, Label, Partition
from curation.models.bloom.sizing import TOLERANCE, Sizing, one_in

MANIFEST = "bloom.json"


@dataclass(frozen=True)
class BloomFilter:
    """A sealed filter, of which nothing but `bloom.json` is read yet."""

    folder: str
    sizing: Sizing
    unit: str
    key_version: int
    parts: tuple[dict[str, Any], ...]  # {"items", "rate", "checksum"}, in order

    @property
    def items(self) -> int:
        return sum(part["items"] for part in self.parts)

    @property
    def rate(self) -> float:
        """The share of all other keys that are taken for added ones."""
        return float(np.mean([part["rate"] for part in self.parts]))

    def line(self) -> str:
        """For printing."""
        return (
            f"{self.folder}: {self.items:,} {self.unit} keys, {one_in(self.rate)} of all others taken for one, "
            f"{self.sizing.bytes / 1e6:,.1f} MB"
        )

    def warning(self) -> str | None:
        """What is wrong where it holds many more keys than it was sized for."""
        if self.rate <= TOLERANCE * self.sizing.false_positive_rate:
            return None
        return (
            f"{self.folder} was sized for {self.sizing.expected_items:,} keys and holds {self.items:,}: it takes "
            f"{one_in(self.rate)} of all others for one, not {one_in(self.sizing.false_positive_rate)}; write it again "
            f"with expected_items: {self.items}"
        )

    def partition(self, number: int) -> Partition:
        """Read one. Raises InputError where its file is missing, broken or not the one that was sealed."""
        uri = _part(self.folder, number)
        try:
            partition = Partition.from_bytes(content := storage.read_bytes(uri))
        except ValueError as error:
            reason = str(error) if isinstance(error, InputError) else f"{uri} cannot be read: {error}"
            raise InputError(f"{reason}; write the Bloom filter in {self.folder} again") from error
        label = Label.from_bytes(content)
        if (label.sizing, label.number, label.checksum) != (self.sizing, number, self.parts[number]["checksum"]):
            raise InputError(f"{uri} is not the one that {MANIFEST} names; write the Bloom filter again")
        return partition

    def contains(self, hi: Uint64s, lo: Uint64s) -> npt.NDArray[np.bool_]:
        """bool[R] of keys in any order; reads the partitions that they belong to, one at a time."""
        number = bucket_of(hi, self.sizing.partitions)
        order = np.argsort(number, kind="stable")
        starts = np.flatnonzero(np.diff(number[order], prepend=-1))
        found = np.empty(len(hi), np.bool_)
        for start, stop in pairwise([*starts, len(hi)]):
            own = order[start:stop]
            found[own] = self.partition(int(number[own[0]])).contains(hi[own], lo[own])
        return found

    @classmethod
    def open(cls, uri: str) -> Self:
        """By its folder or its `bloom.json`. Raises InputError where there is no whole filter."""
        folder = folder_of(uri)
        try:
            facts = json.loads(storage.read_bytes(storage.join(folder, MANIFEST)))
            if facts["format"] != FORMAT:
                raise InputError(
                    f"the Bloom filter in {folder} has format {facts['format']}, this winnow reads {FORMAT}"
                )
            sizing, parts = Sizing(**facts["sizing"]), tuple(facts["parts"])
            found = cls(folder, sizing, facts["unit"], facts["key_version"], parts)
        except InputError as error:
            raise InputError(f"{error}; give the folder of a Bloom filter that a finished run wrote") from error
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{storage.join(folder, MANIFEST)} is no Bloom filter's: {error!r}") from error
        names = set(storage.list_names(folder))
        missing = [n for n in range(sizing.partitions) if _name(n) not in names]
        if missing:
            raise InputError(
                f"the Bloom filter in {folder} lacks {_name(missing[0])}; copy it whole, or write it again"
            )
        return found


def folder_of(uri: str) -> str:
    return uri.rstrip("/").removesuffix(f"/{MANIFEST}")


def write(folder: str, partition: Partition, *, unit: str, key_version: int) -> None:
    """Write one partition's file, the same bytes however often; the folder must be there."""
    filesystem, path = storage.resolve(_part(folder, partition.number))
    with filesystem.open_output_stream(path, compression=None) as stream:  # in two pieces: no copy of the blocks
        stream.write(partition.label(unit, key_version).to_bytes())
        stream.write(partition.words.data.cast("B"))


def seal(folder: str) -> BloomFilter:
    """Write `bloom.json` when all partitions are written. Raises StageError where one is missing or does not belong."""
    first = _label(folder, 0)
    labels = [first, *(_label(folder, number) for number in range(1, first.sizing.partitions))]
    for number, one in enumerate(labels):
        if (one.sizing, one.unit, one.key_version, one.number) != (first.sizing, first.unit, first.key_version, number):
            raise StageError(f"{_part(folder, number)} is not of the Bloom filter that it lies in; delete {folder}")
    parts = tuple({"items": one.items, "rate": one.rate, "checksum": one.checksum} for one in labels)
    facts = {
        "format": FORMAT,
        "unit": first.unit,
        "key_version": first.key_version,
        "sizing": dataclasses.asdict(first.sizing),
        "parts": parts,
    }
    storage.write_bytes(storage.join(folder, MANIFEST), json.dumps(facts, indent=1).encode())
    return BloomFilter(folder, first.sizing, first.unit, first.key_version, parts)


def _label(folder: str, number: int) -> Label:
    uri = _part(folder, number)
    filesystem, path = storage.resolve(uri)
    try:
        with filesystem.open_input_file(path) as file:
            label = Label.from_bytes(file.read(HEADER))
            size = file.size()
    except (OSError, ValueError) as error:
        raise StageError(f"{uri} is no whole part of a Bloom filter: {error}") from error
    if size != HEADER + label.sizing.partition_bytes:
        raise StageError(f"{uri} is no whole part of a Bloom filter: it has {size:,} bytes")
    return label


def _name(number: int) -> str:
    return f"part-{number:05d}.bloom"


def _part(folder: str, number: int) -> str:
    return storage.join(folder, _name(number))
