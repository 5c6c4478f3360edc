"""Bloom dedup: drop what an earlier corpus or dump already had, looked up in filters of its keys, not its documents.

    - dedup: {exact: {}, bloom: {against: [runs/2024-10/04-dedup-1a2b3c4d/bloom], expected_items: 3_000_000_000}}

`unit` chooses the keys: those of `exact`, `canonical_url` or `paragraph` with their default options. Documents that a
filter of `against` contains are dropped; paragraphs are cut. A filter cannot name what it contains, so `duplicate_of`
is null. It never misses a key that it contains, but takes a small share of new ones for known, its false-positive rate;
the rates of several filters add up. At the default of one in a million, a run of a billion new documents loses about a
thousand per filter. This method does not compare the documents of this run with each other: list the unit's own method
beside it, as above. A document without a key is in no filter.

With `expected_items` the run writes a filter of its own keys, one partition per bucket. It is complete when the stage
is sealed, and cannot forget. What was taken down is dropped as such by runs that read the filter where it lies, in the
folder of its run. A run never reads the filter that it writes, so a task that is tried again does not meet traces of
its own documents.

Source: Soldaini et al. 2024, "Dolma" (arXiv:2402.00159), which deduplicates URLs, documents and paragraphs by a Bloom
filter, but reads and writes one filter in the same pass. `curation/models/bloom/partition.py` has the layout.
"""

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core import storage
from curation.core.dedup_methods import Keys, Links, Members, Spans
from curation.core.errors import InputError
from curation.core.protocols import Uint64s
from curation.dedup.canonical_url import CanonicalUrl
from curation.dedup.exact import Exact
from curation.dedup.paragraph import Paragraph
from curation.models.bloom import filter_folder
from curation.models.bloom.filter_folder import MANIFEST, BloomFilter
from curation.models.bloom.partition import Partition
from curation.models.bloom.sizing import RATES, FilterSizing, check_options, one_in, plan

Unit = Literal["document", "url", "paragraph"]
_METHODS: dict[Unit, Links | Spans] = {"document": Exact(), "url": CanonicalUrl(), "paragraph": Paragraph()}


@dataclass(frozen=True, kw_only=True)
class Bloom(Members):
    """Which filters are read, and how large a filter this run writes."""

    unit: Annotated[Unit, "what has a key: a document's text, its canonical URL, or each of its paragraphs"] = (
        "document"
    )
    against: Annotated[tuple[str, ...], "folders of filters that earlier runs wrote"] = ()
    expected_items: Annotated[int | None, "different keys of this run; None: no filter is written"] = None
    false_positive_rate: Annotated[float, "of the written filter, once it holds `expected_items`"] = 1e-6
    max_mb: Annotated[int, "memory of one partition, in 10^6 bytes"] = 1024
    key_version: Annotated[int, "of the unit's method; in the stage's address and in every filter"] = field(init=False)

    reads: ClassVar[tuple[str, ...]] = ("text",)  # ("url",) for unit url
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "reads", self.looks_up.reads)
        object.__setattr__(self, "use", "spans" if self.looks_up.use == "spans" else "members")
        object.__setattr__(self, "key_version", self.looks_up.version)
        check_options(1 if self.expected_items is None else self.expected_items, self.false_positive_rate)
        if self.max_mb < 1:
            raise ValueError(f"max_mb is {self.max_mb}; give at least 1")

    @property
    def looks_up(self) -> Links | Spans:
        """The unit's method, which makes the keys."""
        return _METHODS[self.unit]

    @property
    def writes(self) -> bool:
        """Whether this run writes a filter of its keys."""
        return self.expected_items is not None

    def assets(self) -> dict[str, tuple[str, ...]]:
        """Each filter's `bloom.json`, which names the checksums of its partitions.

        Raises InputError if a filter is missing, incomplete, of another unit or unusable, or if there is nothing to
        read or write.
        """
        if not self.against and self.expected_items is None:
            raise InputError("bloom has nothing to do: give `against`, `expected_items`, or both")
        return {"against": tuple(storage.join(known.folder, MANIFEST) for known in self.filters())}

    def filters(self) -> tuple[BloomFilter, ...]:
        """The filters of `against`, checked; reads no partition."""
        return tuple(self._usable(BloomFilter.open(uri)) for uri in self.against)

    def _usable(self, known: BloomFilter) -> BloomFilter:
        where = f"the Bloom filter in {known.folder}"
        if known.unit != self.unit:
            raise InputError(f"{where} is of {known.unit} keys, not of {self.unit} ones; set unit: {known.unit}")
        if known.key_version != self.key_version:
            raise InputError(
                f"{where} has {known.unit} keys of version {known.key_version}, this winnow makes "
                f"version {self.key_version}; write it again from its corpus"
            )
        if known.sizing.partition_bytes > self.max_mb * 10**6:
            raise InputError(
                f"a partition of {where} takes {known.sizing.partition_bytes / 1e6:,.1f} MB, "
                f"more than max_mb: {self.max_mb}; raise max_mb"
            )
        if known.rate > RATES[1]:
            raise InputError(f"too full to be used: {known.warning()}")
        return known

    def keys(self, batch: pa.RecordBatch) -> Keys:
        return self.looks_up.keys(batch)

    def members(self, hi: Uint64s, lo: Uint64s) -> npt.NDArray[np.bool_]:
        """bool[R]: which of R keys, in any order, are in a filter of `against`.

        Reads the partitions that the keys belong to, one at a time: for the sorted keys of a bucket, each once.
        """
        member = np.zeros(len(hi), np.bool_)
        for known in self.filters():
            left = np.flatnonzero(~member)
            member[left] = known.contains(hi[left], lo[left])
        return member

    def sizing(self, partitions: int) -> FilterSizing | None:
        """The size of the filter that this run writes; None if it writes none. Raises InputError if it is too large."""
        if self.expected_items is None:
            return None
        return plan(self.expected_items, self.false_positive_rate, partitions=partitions, max_mb=self.max_mb)

    def lines(self, partitions: int) -> tuple[str, ...]:
        """What to print before any work: each filter that is read, its warning, and the one that is written."""
        filters = self.filters()
        sizing = self.sizing(partitions)
        read = [line for known in filters for line in (f"against {known.line()}", known.warning()) if line]
        lost = one_in(sum(known.rate for known in filters))
        total = [f"{lost} of new ones is lost to them"] if len(filters) > 1 else []
        return (*read, *total, *([f"writes a {sizing.line()}"] if sizing else []))

    def write_partition(self, folder: str, hi: Uint64s, lo: Uint64s, *, number: int, partitions: int) -> None:
        """Write one bucket's partition into the folder of the run's filter; `filter_folder.seal` completes it.

        hi, lo: all keys of the bucket, equal ones next to each other. Raises ValueError without `expected_items` and
        for keys of another bucket.
        """
        sizing = self.sizing(partitions)
        if sizing is None:
            raise ValueError("no filter is written without expected_items")
        fresh = np.ones(len(hi), np.bool_)
        fresh[1:] = (hi[1:] != hi[:-1]) | (lo[1:] != lo[:-1])
        partition = Partition.empty(sizing, number)
        partition.insert(hi[fresh], lo[fresh])
        filter_folder.write(folder, partition, unit=self.unit, key_version=self.key_version)
