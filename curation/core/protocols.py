"""What components of each verb do beside what all of them declare (`component`); filters are in `filter`."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core.component import Component, Keyed, struct_type
from curation.core.document import DOCUMENT
from curation.core.filter import Filter
from curation.core.input_files import InputFile
from curation.core.verbs import DEDUP, EXTRACT, READ, REWRITE, Verb


@dataclass(frozen=True)
class Piece:
    """Part of one input file: bytes (or row groups) [start, stop); stop -1 = to the end. `name` is the file's name
    among all of its source, which enters the ids of its documents. `size`, `stamp` and `modified` are those of
    `InputFile`, by which a change since the plan is noticed; size -1: nothing is known of it."""

    path: str
    start: int = 0
    stop: int = -1
    name: str = ""
    size: int = field(default=-1, compare=False)
    stamp: int | str = field(default=0, compare=False)
    modified: int = field(default=0, compare=False)

    @classmethod
    def of(cls, file: InputFile, start: int = 0, stop: int = -1) -> Self:
        """The part of a listed file."""
        return cls(file.path, start, stop, file.name, file.size, file.stamp, file.modified)


@dataclass
class ReadTally:
    """Records counted by outcome, and faults with file and offset.

    `skipped.*` were not read, by cause (`skipped.request`, `skipped.status.404`); `lenient.*` were read although they
    violate their standard, by violation (`lenient.media_type`).
    """

    records: Counter[str] = field(default_factory=Counter)
    faults: list[dict[str, str | int]] = field(default_factory=list)  # {"file", "offset", "error"}


class Source(Component):
    """Reads records. `yields` is "html" if extraction must follow, else "text"."""

    verb: ClassVar[Verb | None] = READ
    paths: tuple[str, ...]
    yields: ClassVar[Literal["html", "text"]]

    def split(self, files: Sequence[InputFile], *, group_bytes: int, split_bytes: int) -> list[tuple[Piece, ...]]:
        """Units in file order: small files grouped up to `group_bytes` of input, splittable large ones cut into ranges
        of about `split_bytes`."""
        raise NotImplementedError

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        """Batches of `document.RAW` (html) or `document.DOCUMENT` (text), at most about 1,000 rows or 16 MiB each."""
        raise NotImplementedError

    def check(self, paths: Sequence[str]) -> None:
        """Raises InputError, which names a file, where a look at it shows that `read` would refuse it; of many files,
        looks at some."""


class Extractor(Component):
    """Turns the bytes of a page into its main text. Its signals are the fields of the column `extract`."""

    verb: ClassVar[Verb | None] = EXTRACT

    def schema(self) -> pa.Schema:
        """Of the documents that it makes."""
        return DOCUMENT.append(pa.field("extract", struct_type(self.signal_types())))

    def judging(self) -> Keyed[Filter]:
        """The rule sets by which it drops pages itself, in order; most have none."""
        return ()

    def extract(
        self, pages: pa.RecordBatch, caught: Mapping[str, str], on_caught: Callable[[str, str], None]
    ) -> pa.RecordBatch:
        """RAW[N] -> documents[N] of `schema`, same rows and order.

        `caught` maps doc_id to cause for pages that exceeded time or memory in an earlier attempt; they are dropped
        again without a try. `on_caught(doc_id, cause)` is called at once for each page that exceeds them now.
        """
        raise NotImplementedError


class Rewriter(Component):
    """Edits text and counts what it changed; never drops. Its signals are the counts."""

    verb: ClassVar[Verb | None] = REWRITE
    reads: ClassVar[tuple[str, ...]] = ("text",)

    def rewrite(self, batch: pa.RecordBatch) -> tuple[pa.Array, dict[str, pa.Array]]:
        """Batch of N documents -> (large_string[N], {count name: int64[N]}). A column of another type, such as the
        spans of the edits, may stand beside the counts; it is stored and not summed."""
        raise NotImplementedError


class Redacting(Rewriter):
    """A rewriter that takes out what may not be kept: the texts that it read are originals, see `engine/privacy`."""

    def urls(self, urls: pa.Array) -> pa.Array:
        """string[N] -> string[N]: URLs of the same host without the values found in them; nulls stay. Equal URLs become
        equal ones, whatever stands beside them."""
        raise NotImplementedError

    def words(self, texts: pa.Array) -> pa.Array:
        """string[N] -> string[N]: short texts of no known language, such as a licence, as `urls`."""
        raise NotImplementedError


Uint64s: TypeAlias = npt.NDArray[np.uint64]
Ints: TypeAlias = npt.NDArray[np.int64]
Vectors: TypeAlias = npt.NDArray[np.float32]


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


class DedupMethod(Component):
    """Turns documents into keys. Every method is also one of `Links`, `Spans` and `Members`, by the use of its keys."""

    verb: ClassVar[Verb | None] = DEDUP
    reads: ClassVar[tuple[str, ...]] = ("text",)

    def keys(self, batch: pa.RecordBatch) -> Keys:
        raise NotImplementedError


Methods: TypeAlias = Keyed[DedupMethod]


class Links(DedupMethod):
    """Finds documents that are duplicates of each other. Within a shard, documents with an equal key are linked."""

    def pairs(self, hi: Uint64s, lo: Uint64s, vector: Vectors | None) -> Pairs:
        """Which of a bucket's R keys belong together. They are sorted by (hi, lo) and then by the order of survival,
        with each document's key once. `vector` float32[R, D]: of the keys, if they have vectors."""
        raise NotImplementedError


class Verifies(Links):
    """Links whose pairs are only candidates: evidence is kept for each document and compared for each pair."""

    def sign(self, batch: pa.RecordBatch) -> pa.Array:
        """fixed_size_binary[N]: each document's signature, null if it has none."""
        raise NotImplementedError

    def keys_of(self, signatures: pa.Array) -> Keys:
        """The keys of N signatures: `keys(batch)` is `keys_of(sign(batch))`."""
        raise NotImplementedError

    def evidence(self, batch: pa.RecordBatch) -> pa.Array | None:
        """What `agree` compares, [N]; None if that is the signature."""
        raise NotImplementedError

    def agree(self, left: pa.Array, right: pa.Array) -> npt.NDArray[np.bool_]:
        """bool[M]: which of M pairs of evidence are duplicates."""
        raise NotImplementedError


class Embeds(Links):
    """Links whose keys only gather the vectors that `pairs` compares: an equal key makes no duplicate."""

    def embed(self, batch: pa.RecordBatch) -> Vectors:
        """float32[N, D]: each document's vector, of which its keys hold copies; all 0 if it has none."""
        raise NotImplementedError


class Spans(DedupMethod):
    """Lists the spans of a text that occur in other documents too; keys have `start` and `stop`."""

    @property
    def min_copies(self) -> int:
        """A span is listed if this many documents have it; 2 or more."""
        raise NotImplementedError


class Refines(Spans):
    """Finds its spans in two rounds: `keys` have no spans, and repeated keys tell the second round where to look."""

    def refine(self, batch: pa.RecordBatch, hi: Uint64s, lo: Uint64s) -> Keys:
        """The second round's keys, with spans, given the repeated keys of the first, sorted by (hi, lo)."""
        raise NotImplementedError

    def fit(self, text: pa.Array, spans: pa.Array) -> pa.Array:
        """Merged spans list<struct<start: int64, stop: int64>>[N] of text[N], moved to where characters begin."""
        raise NotImplementedError


class Members(DedupMethod):
    """Looks keys up in filters of earlier corpora, and may write a filter of its own, a partition per bucket."""

    @property
    def looks_up(self) -> Links | Spans:
        """The method whose keys are looked up: known documents are dropped, known spans are listed."""
        raise NotImplementedError

    @property
    def writes(self) -> bool:
        """Whether a filter of this run's keys is written."""
        raise NotImplementedError

    def members(self, hi: Uint64s, lo: Uint64s) -> npt.NDArray[np.bool_]:
        """bool[R]: which of R keys are known."""
        raise NotImplementedError

    def write_partition(self, folder: str, hi: Uint64s, lo: Uint64s, *, number: int, partitions: int) -> None:
        """Writes the partition of one bucket from all its keys, in which equal ones are adjacent."""
        raise NotImplementedError

    def sizing(self, partitions: int) -> object:
        """The size of the filter to be written. Raises InputError if that is too large."""
        raise NotImplementedError

    def lines(self, partitions: int) -> tuple[str, ...]:
        """Lines for the plan: the filters that will be read and written."""
        raise NotImplementedError
