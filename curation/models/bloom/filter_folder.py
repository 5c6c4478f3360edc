"""A stored Bloom filter: a folder with one file per partition, and `bloom.json`, which is written last.

Each partition is read and written by a task of its own. `bloom.json` holds their checksums, so its content identifies
the filter. A folder without it is not finished.
"""

import dataclasses
import json
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self, TypedDict

import numpy as np
import numpy.typing as npt

from curation.core import storage
from curation.core.document import bucket_of
from curation.core.errors import InputError, StageError
from curation.core.protocols import Uint64s
from curation.models.bloom.partition import FORMAT, HEADER, Label, Partition
from curation.models.bloom.sizing import TOLERANCE, FilterSizing, one_in

MANIFEST = "bloom.json"


class SealedPartition(TypedDict):
    """What `bloom.json` says of a partition."""

    items: int
    rate: float
    checksum: str


@dataclass(frozen=True)
class BloomFilter:
    """A sealed filter; only `bloom.json` has been read."""

    folder: str
    sizing: FilterSizing
    unit: str
    key_version: int
    partitions: tuple[SealedPartition, ...]  # in order

    @property
    def items(self) -> int:
        return sum(partition["items"] for partition in self.partitions)

    @property
    def rate(self) -> float:
        """The false-positive rate: the share of absent keys that `contains` reports as present."""
        return float(np.mean([partition["rate"] for partition in self.partitions]))

    def line(self) -> str:
        """One line to print."""
        return (
            f"{self.folder}: {self.items:,} {self.unit} keys, false-positive rate {one_in(self.rate)}, "
            f"{self.sizing.bytes / 1e6:,.1f} MB"
        )

    def warning(self) -> str | None:
        """A message if it holds many more keys than it was sized for, else None."""
        if self.rate <= TOLERANCE * self.sizing.false_positive_rate:
            return None
        return (
            f"{self.folder} was sized for {self.sizing.expected_items:,} keys and holds {self.items:,}: its "
            f"false-positive rate is {one_in(self.rate)}, not {one_in(self.sizing.false_positive_rate)}; write it "
            f"again with expected_items: {self.items}"
        )

    def partition(self, number: int) -> Partition:
        """Read one partition. Raises InputError if its file is missing, broken or not the sealed one."""
        uri = _uri(self.folder, number)
        try:
            partition = Partition.from_bytes(content := storage.read_bytes(uri))
        except ValueError as error:
            reason = str(error) if isinstance(error, InputError) else f"{uri} cannot be read: {error}"
            raise InputError(f"{reason}; write the Bloom filter in {self.folder} again") from error
        label = Label.from_bytes(content)
        if (label.sizing, label.number, label.checksum) != (self.sizing, number, self.partitions[number]["checksum"]):
            raise InputError(f"{uri} is not the partition that {MANIFEST} names; write the Bloom filter again")
        return partition

    def contains(self, hi: Uint64s, lo: Uint64s) -> npt.NDArray[np.bool_]:
        """bool[R] for keys in any order; reads the partitions that they belong to, one at a time."""
        number = bucket_of(hi, self.sizing.partitions)
        order = np.argsort(number, kind="stable")
        starts = np.flatnonzero(np.diff(number[order], prepend=-1))
        present = np.empty(len(hi), np.bool_)
        for start, stop in pairwise([*starts, len(hi)]):
            rows = order[start:stop]
            present[rows] = self.partition(int(number[rows[0]])).contains(hi[rows], lo[rows])
        return present

    @classmethod
    def open(cls, uri: str) -> Self:
        """Open a filter by its folder or its `bloom.json`. Raises InputError if it is missing or incomplete."""
        folder = uri.rstrip("/").removesuffix(f"/{MANIFEST}")
        try:
            facts = json.loads(storage.read_bytes(storage.join(folder, MANIFEST)))
            if facts["format"] != FORMAT:
                raise InputError(
                    f"the Bloom filter in {folder} has format {facts['format']}, this winnow reads {FORMAT}"
                )
            sizing = FilterSizing(**facts["sizing"])
            _check(sizing, facts)
            opened = cls(folder, sizing, facts["unit"], facts["key_version"], tuple(facts["parts"]))
        except InputError as error:
            raise InputError(f"{error}; give the folder of a Bloom filter that a finished run wrote") from error
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise InputError(f"{storage.join(folder, MANIFEST)} does not describe a Bloom filter: {error!r}") from error
        names = set(storage.list_names(folder))
        missing = [n for n in range(sizing.partitions) if _name(n) not in names]
        if missing:
            raise InputError(
                f"the Bloom filter in {folder} lacks {_name(missing[0])}; copy the whole folder, or write it again"
            )
        return opened


def write(folder: str, partition: Partition, *, unit: str, key_version: int) -> None:
    """Write one partition's file; the folder must exist."""
    filesystem, path = storage.resolve(_uri(folder, partition.number))
    with filesystem.open_output_stream(path, compression=None) as stream:  # two writes spare a copy of the blocks
        stream.write(partition.label(unit, key_version).to_bytes())
        stream.write(partition.words.data.cast("B"))


def seal(folder: str) -> BloomFilter:
    """Write `bloom.json` after all partitions. Raises StageError if one is missing or belongs to another filter."""
    first = _label(folder, 0)
    labels = [first, *(_label(folder, number) for number in range(1, first.sizing.partitions))]
    for number, label in enumerate(labels):
        if (label.sizing, label.unit, label.key_version) != (first.sizing, first.unit, first.key_version) or (
            label.number != number
        ):
            raise StageError(f"{_uri(folder, number)} belongs to another Bloom filter than {folder}; delete {folder}")
    partitions = tuple(SealedPartition(items=label.items, rate=label.rate, checksum=label.checksum) for label in labels)
    facts = {
        "format": FORMAT,
        "unit": first.unit,
        "key_version": first.key_version,
        "sizing": dataclasses.asdict(first.sizing),
        "parts": partitions,
    }
    storage.write_bytes(storage.join(folder, MANIFEST), json.dumps(facts, indent=1).encode())
    return BloomFilter(folder, first.sizing, first.unit, first.key_version, partitions)


def _check(sizing: FilterSizing, facts: dict[str, Any]) -> None:
    """Raises ValueError where the fields of a `bloom.json` are of other types than `BloomFilter` states."""
    sizing.check()
    if not isinstance(facts["unit"], str) or type(facts["key_version"]) is not int:
        raise ValueError("its unit or its key_version is none")
    types = {"items": int, "rate": float, "checksum": str}
    if len(facts["parts"]) != sizing.partitions:
        raise ValueError(f"it lists {len(facts['parts']):,} of {sizing.partitions:,} partitions")
    for part in facts["parts"]:
        if {name: type(value) for name, value in part.items()} != types or not 0 <= part["rate"] <= 1:
            raise ValueError(f"it says of a partition: {str(part)[:100]}")


def _label(folder: str, number: int) -> Label:
    uri = _uri(folder, number)
    filesystem, path = storage.resolve(uri)
    try:
        with filesystem.open_input_file(path) as file:
            label = Label.from_bytes(file.read(HEADER))
            size = file.size()
    except (OSError, ValueError) as error:
        raise StageError(f"{uri} is not a whole partition of a Bloom filter: {error}") from error
    if size != HEADER + label.sizing.partition_bytes:
        raise StageError(f"{uri} is not a whole partition of a Bloom filter: it has {size:,} bytes")
    return label


def _name(number: int) -> str:
    return f"part-{number:05d}.bloom"


def _uri(folder: str, number: int) -> str:
    return storage.join(folder, _name(number))
