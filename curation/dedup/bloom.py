"""Bloom dedup: drop what an earlier corpus or dump already had, known by filters of its keys instead of its documents.

    - dedup: {exact: {}, bloom: {against: [runs/2024-10/04-dedup-1a2b3c4d/bloom], expected_items: 3_000_000_000}}

The keys are those of `exact`, `canonical_url` or `paragraph` with their default options, as `unit` says. What is in a
filter of `against` is dropped or, of paragraphs, cut. A filter cannot name what it knows, so `duplicate_of` is missing;
and of what is new it takes a small share for known, its false-positive rate; the rates of several add up. At the
default of one in a million a run of a billion new documents loses about a thousand to each filter. What is in one is
always found. Documents of this run are never compared with each other here: let the method of the same unit stand
beside this one. A document without a key (see there) is in no filter.

With `expected_items` the run writes a filter of its own keys, one partition per bucket; list one filter per corpus in
`against`. It is whole when the stage is sealed, and cannot forget: after a takedown write it again. A run never reads
the filter that it writes: a task that is killed or tried again meets no traces of its own documents and deletes none.

Source: Soldaini et al. 2024, "Dolma" (arXiv:2402.00159), which deduplicates URLs, documents and paragraphs by a Bloom
filter; there one filter is read and written in the same pass, which is what the rule above forbids. The filter's layout
is in `curation/models/bloom/partition.py`.
"""

from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core import storage
from curation.core.errors import InputError
from curation.core.protocols import Keys, Links, Spans, Uint64s
from curation.dedup.canonical_url import CanonicalUrl
from curation.dedup.exact import Exact
from curation.dedup.paragraph import Paragraph
from curation.models.bloom import filter_folder
from curation.models.bloom.filter_folder import MANIFEST, BloomFilter
from curation.models.bloom.partition import Partition
from curation.models.bloom.sizing import RATES, Sizing, check_options, one_in, plan

Unit = Literal["document", "url", "paragraph"]
_METHODS: dict[Unit, Links | Spans] = {"document": Exact(), "url": CanonicalUrl(), "paragraph": Paragraph()}


@dataclass(frozen=True, kw_only=True)
class Bloom:
    """Which filters are read, and how large the one is that this run writes."""

    unit: Unit = "document"
    against: tuple[str, ...] = ()  # folders of filters that earlier runs wrote
    expected_items: int | None = None  # different keys of this run; none: no filter is written
    false_positive_rate: float = 1e-6  # of the filter that is written, when it holds what is expected
    max_mb: int = 1024  # of 10^6 bytes, that one partition may take in memory
    key_version: int = field(init=False)  # of the unit's method; in the stage's address and in every filter

    reads: ClassVar[tuple[str, ...]] = ("text",)  # ("url",) where that is the unit
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "reads", self.looks_up.reads)
        object.__setattr__(self, "key_version", self.looks_up.version)
        check_options(1 if self.expected_items is None else self.expected_items, self.false_positive_rate)
        if self.max_mb < 1:
            raise ValueError(f"max_mb is {self.max_mb}; give at least 1")

    @property
    def looks_up(self) -> Links | Spans:
        """The unit's method, whose keys these are."""
        return _METHODS[self.unit]

    @property
    def writes(self) -> bool:
        """Whether a filter of this run's keys is written."""
        return self.expected_items is not None

    def assets(self) -> dict[str, tuple[str, ...]]:
        """Each filter's `bloom.json`, which names the checksums of its parts.

        Raises InputError where a filter is missing, not whole, of another unit, or not to be used; and where there is
        neither one to read nor one to write.
        """
        if not self.against and self.expected_items is None:
            raise InputError("bloom has nothing to do: give `against`, `expected_items`, or both")
        return {"against": tuple(storage.join(one.folder, MANIFEST) for one in self.filters())}

    def filters(self) -> tuple[BloomFilter, ...]:
        """Those of `against`, checked; no part is read."""
        return tuple(self._usable(BloomFilter.open(uri)) for uri in self.against)

    def _usable(self, one: BloomFilter) -> BloomFilter:
        if one.unit != self.unit:
            raise InputError(
                f"the Bloom filter in {one.folder} is of {one.unit} keys, not of {self.unit} ones; set unit"
            )
        if one.key_version != self.key_version:
            raise InputError(
                f"the Bloom filter in {one.folder} has {one.unit} keys of version {one.key_version}, this winnow makes "
                f"version {self.key_version}; write it again from its corpus"
            )
        if one.sizing.partition_bytes > self.max_mb * 10**6:
            raise InputError(
                f"a partition of the Bloom filter in {one.folder} takes {one.sizing.partition_bytes / 1e6:,.1f} MB, "
                f"more than max_mb: {self.max_mb}; raise that"
            )
        if one.rate > RATES[1]:
            raise InputError(f"too full to be used: {one.warning()}")
        return one

    def keys(self, batch: pa.RecordBatch) -> Keys:
        """Those of the unit's method."""
        return self.looks_up.keys(batch)

    def members(self, hi: Uint64s, lo: Uint64s) -> npt.NDArray[np.bool_]:
        """bool[R]: which of R keys, in any order, are in a filter of `against`.

        Reads the parts that the keys belong to, one at a time: of sorted keys of one bucket few or one, each once.
        """
        known = np.zeros(len(hi), np.bool_)
        for one in self.filters():
            left = np.flatnonzero(~known)
            known[left] = one.contains(hi[left], lo[left])
        return known

    def sizing(self, partitions: int) -> Sizing | None:
        """Of the filter that this run writes; None where it writes none. Raises InputError where it is too large."""
        if self.expected_items is None:
            return None
        return plan(self.expected_items, self.false_positive_rate, partitions=partitions, max_mb=self.max_mb)

    def lines(self, partitions: int) -> tuple[str, ...]:
        """What to print before any work: each filter that is read, its warning, and the one that is written."""
        filters, sizing = self.filters(), self.sizing(partitions)
        read = [line for one in filters for line in (f"against {one.line()}", one.warning()) if line]
        total = [f"{one_in(sum(one.rate for one in filters))} of new ones is lost to them"] if len(filters) > 1 else []
        return (*read, *total, *([f"writes a {sizing.line()}"] if sizing else []))

    def write_partition(self, folder: str, hi: Uint64s, lo: Uint64s, *, number: int, partitions: int) -> None:
        """Write one bucket's part into the folder of the run's filter; `filter_folder.seal` ends it when all are there.

        hi, lo: all keys of the bucket, equal ones next to each other. Raises ValueError where no filter is to be
        written, or for keys of another bucket.
        """
        sizing = self.sizing(partitions)
        if sizing is None:
            raise ValueError("no filter is written without expected_items")
        fresh = np.ones(len(hi), np.bool_)
        fresh[1:] = (hi[1:] != hi[:-1]) | (lo[1:] != lo[:-1])
        partition = Partition.empty(sizing, number)
        partition.insert(hi[fresh], lo[fresh])
        filter_folder.write(folder, partition, unit=self.unit, key_version=self.key_version)
