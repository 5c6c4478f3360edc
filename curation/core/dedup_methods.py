"""Bases of dedup methods: components that turn documents into keys, by which copies are found."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core.component import Component, Keyed, Signals
from curation.core.document import SPANS
from curation.core.errors import UserError
from curation.core.protocols import Ints, Uint64s, Vectors
from curation.core.verbs import DEDUP, Verb


@dataclass(frozen=True)
class Keys:
    """Dedup keys: parallel arrays of R keys in the order of their rows. A row may have none or several."""

    hi: Uint64s
    lo: Uint64s
    row: Ints  # in the batch
    start: Ints | None = None  # for keys of spans: first byte of the span in the row's text …
    stop: Ints | None = None  # … and the byte after its last
    vector: Vectors | None = None  # float32[R, D], for keys that only gather vectors to compare


@dataclass(frozen=True)
class Pairs:
    """Rows of a bucket, by index, that may be duplicates: `left` ranks before `right`."""

    left: Ints
    right: Ints
    skipped: int = 0  # rows of groups too large to compare all pairs, in which only some are paired


# What keys are for. "links": documents whose keys belong together are duplicates of each other. "spans": parts of texts
# are listed whose keys other documents have too. "members": documents are dropped whose keys are in a filter.
Use: TypeAlias = Literal["links", "spans", "members"]
COLUMNS: Mapping[Use, Signals] = {
    "links": {"duplicate_of": pa.int64(), "copies": pa.int64(), "cluster": pa.int64()},
    "spans": {"spans": SPANS, "units": pa.int64(), "repeated": pa.int64(), "text_bytes": pa.int64()},
    "members": {"member": pa.bool_()},
}


class DedupMethod(Component):
    """Turns documents into keys. Every method derives from one of `Links`, `Spans` and `Members`, by the use of its
    keys. What it adds to documents follows from that use."""

    verb: ClassVar[Verb | None] = DEDUP
    reads: ClassVar[tuple[str, ...]] = ("text",)
    use: ClassVar[Use | None] = None  # of its keys; None: no stage takes it
    read_later: ClassVar[bool] = True  # whether later runs compare their documents with its keys
    has_vectors: ClassVar[bool] = False  # whether keys only gather vectors to compare: equal ones make no duplicate
    verified: ClassVar[bool] = False  # whether its pairs are candidates, which `Verifies.agree` makes links of
    rounds: ClassVar[int] = 1  # 2: `keys` have no spans; those of `refine` do

    def __call__(self, texts: Any) -> NoReturn:
        """Raises UserError: copies are found among all documents of a run, so there is no verdict on a text alone."""
        raise UserError(
            f"{type(self).__name__} compares documents with one another; run it over them all: "
            f"winnow.curate([winnow.dedup.{type(self).__name__}()], texts, executor=winnow.Inline()).texts()"
        )

    def signal_types(self) -> Signals:
        return COLUMNS[self.use] if self.use is not None else {}

    def keys(self, batch: pa.RecordBatch) -> Keys:
        """The keys of N documents; those of a document never depend on its neighbours."""
        raise NotImplementedError

    def keys_each(self) -> int | None:
        """How many keys every document has that has any; None where that depends on the document."""
        return None

    def refine(self, batch: pa.RecordBatch, hi: Uint64s, lo: Uint64s) -> Keys:
        """The keys of the last round, given the repeated keys of the first, sorted by (hi, lo)."""
        return self.keys(batch)

    def fit(self, text: pa.Array, spans: pa.Array) -> pa.Array:
        """Merged spans list<struct<start: int64, stop: int64>>[N] of text[N], moved to where characters begin."""
        return spans

    @property
    def writes(self) -> bool:
        """Whether it writes a filter of this run's keys."""
        return False

    def sizing(self, partitions: int) -> object:
        """The size of the filter that it writes, if any, in so many partitions. Raises InputError if that is too
        large."""

    def lines(self, partitions: int) -> tuple[str, ...]:
        """Lines for the plan: the filters that it will read and write."""
        return ()


Methods: TypeAlias = Keyed[DedupMethod]


class Links(DedupMethod):
    """Finds documents that are duplicates of each other. Within a shard, documents with an equal key are linked."""

    use: ClassVar[Use | None] = "links"

    def pairs(self, hi: Uint64s, lo: Uint64s, vector: Vectors | None) -> Pairs:
        """Which of a bucket's R keys belong together. They are sorted by (hi, lo) and then by the order of survival,
        with each document's key once. `vector` float32[R, D]: of the keys, if they have vectors."""
        raise NotImplementedError


class Verifies(Links):
    """Links whose pairs are candidates: evidence of both documents decides. A document has keys if it has a signature,
    which is made first."""

    verified: ClassVar[bool] = True

    def signature_type(self) -> pa.DataType:
        """The type of signatures: fixed_size_binary."""
        raise NotImplementedError

    def sign(self, batch: pa.RecordBatch) -> pa.Array:
        """Each document's signature, [N], null if it has none."""
        raise NotImplementedError

    def keys_of(self, signatures: pa.Array) -> Keys:
        """The keys of N signatures: `keys(batch)` is `keys_of(sign(batch))`."""
        raise NotImplementedError

    def evidence_type(self) -> pa.DataType | None:
        """The type of evidence that is made of the text; None where the signature is the evidence, so that documents
        with equal signatures need not be compared."""
        return None

    def evidence(self, batch: pa.RecordBatch) -> pa.Array:
        """What `agree` compares, [N], where it is not the signature."""
        raise NotImplementedError

    def agree(self, left: pa.Array, right: pa.Array) -> npt.NDArray[np.bool_]:
        """bool[M]: which of M pairs of evidence are duplicates."""
        raise NotImplementedError

    def agree_by_signature(self, left: pa.Array, right: pa.Array) -> npt.NDArray[np.bool_]:
        """bool[M]: which of M pairs of signatures are duplicates, as far as signatures tell: one text may be gone."""
        return self.agree(left, right)


class Spans(DedupMethod):
    """Lists the spans of a text that occur in other documents too; the keys of the last round have `start` and
    `stop`."""

    use: ClassVar[Use | None] = "spans"

    @property
    def min_copies(self) -> int:
        """A span is listed if this many documents have it; 2 or more."""
        raise NotImplementedError


class Members(DedupMethod):
    """Looks keys up in filters of earlier corpora, and may write a filter of its own, a partition per bucket. Where the
    looked-up keys are of spans, so is its use."""

    use: ClassVar[Use | None] = "members"
    read_later: ClassVar[bool] = False

    def members(self, hi: Uint64s, lo: Uint64s) -> npt.NDArray[np.bool_]:
        """bool[R]: which of R keys are known."""
        raise NotImplementedError

    def write_partition(self, folder: str, hi: Uint64s, lo: Uint64s, *, number: int, partitions: int) -> None:
        """Writes the partition of one bucket from all its keys, in which equal ones are adjacent."""
        raise NotImplementedError
