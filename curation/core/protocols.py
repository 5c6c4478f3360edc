"""The shapes that components have. A frozen dataclass that fits one of them is both config and code.

Each lives in a module named after its recipe key (`curation/filters/gopher_quality.py` holds `GopherQuality`), is
pure, pickles, and states `version: ClassVar[int]`, raised when the same input would give another output.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, Protocol, Self, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core.component import Component, Keyed
from curation.core.rules import Rule
from curation.core.storage import InputFile


@dataclass(frozen=True)
class Piece:
    """Part of one input file: bytes (or row groups) [start, stop); stop -1 = to the end. `name` is the file's name
    among all of its source, which enters the ids of its documents. `size`, `stamp` and `modified` are those of
    `InputFile`, by which a change since the plan is noticed; size -1: nothing is known of it."""

    path: str
    start: int = 0
    stop: int = -1
    name: str = ""
    size: int = -1
    stamp: int | str = 0
    modified: int = 0

    @classmethod
    def of(cls, file: InputFile, start: int = 0, stop: int = -1) -> Self:
        """The part of a listed file."""
        return cls(file.path, start, stop, file.name, file.size, file.stamp, file.modified)


@dataclass
class ReadTally:
    """Records by what became of them, and faults with file and offset.

    `skipped.*` are those passed over, by cause (`skipped.request`, `skipped.status.404`); `lenient.*` those that were
    read though they are not as their standard has them, by what is odd (`lenient.media_type`).
    """

    records: Counter[str] = field(default_factory=Counter)
    faults: list[dict[str, str | int]] = field(default_factory=list)  # {"file", "offset", "error"}


@runtime_checkable
class Source(Component, Protocol):
    """Where records come from. `yields` says whether extraction must follow ("html") or text is there ("text")."""

    paths: tuple[str, ...]
    yields: ClassVar[Literal["html", "text"]]

    def split(self, files: Sequence[InputFile], *, group_bytes: int, split_bytes: int) -> list[tuple[Piece, ...]]:
        """Units of work in file order: small files grouped up to `group_bytes` of input, a splittable large one cut
        into ranges of about `split_bytes`."""

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        """Batches of `document.RAW` (html) or `document.DOCUMENT` (text), at most about 1,000 rows or 16 MiB each."""


@runtime_checkable
class Extractor(Component, Protocol):
    """Bytes of a page to its main text."""

    signals: ClassVar[pa.StructType]  # what the struct column `extract` holds

    def extract(
        self, pages: pa.RecordBatch, caught: Mapping[str, str], on_caught: Callable[[str, str], None]
    ) -> pa.RecordBatch:
        """RAW[N] -> DOCUMENT[N] plus the struct column `extract`, same rows and order.

        `caught` maps doc_id to the cause with which the wall-clock and memory net dropped it in an earlier attempt; it
        is dropped again untried. `on_caught(doc_id, cause)` is called at once for each page that the net catches now.
        """


@runtime_checkable
class Filter(Component, Protocol):
    """Measures signals and states the limits on them; never edits."""

    reads: ClassVar[tuple[str, ...]]

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> one array[N] per signal, numeric or string. A document's values never depend on its
        neighbours."""

    def rules(self) -> tuple[Rule, ...]: ...


@runtime_checkable
class Rewriter(Component, Protocol):
    """Edits text and counts what it changed; never drops."""

    reads: ClassVar[tuple[str, ...]]

    def rewrite(self, batch: pa.RecordBatch) -> tuple[pa.Array, dict[str, pa.Array]]:
        """Batch of N documents -> (large_string[N], {count name: int64[N]})."""


Uint64s: TypeAlias = npt.NDArray[np.uint64]
Ints: TypeAlias = npt.NDArray[np.int64]
Vectors: TypeAlias = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Keys:
    """Dedup keys: parallel arrays of R keys in the order of their rows; a row may have none or several."""

    hi: Uint64s
    lo: Uint64s
    row: Ints  # in the batch
    start: Ints | None = None  # of keys that stand for a span of the row's text: its first byte …
    stop: Ints | None = None  # … and the byte after its last
    vector: Vectors | None = None  # float32[R, D] of keys that only gather what is then compared


@dataclass(frozen=True)
class Pairs:
    """Rows of a bucket that may be duplicates, by their index: `left` ranks before `right`."""

    left: Ints
    right: Ints
    skipped: int = 0  # rows of groups too large to pair each with each: paired with some only


@runtime_checkable
class DedupMethod(Component, Protocol):
    """Turns documents into keys. Every method is also one of `Links`, `Spans` and `Members`, which say what the keys
    are for."""

    reads: ClassVar[tuple[str, ...]]

    def keys(self, batch: pa.RecordBatch) -> Keys: ...


Methods: TypeAlias = Keyed[DedupMethod]


@runtime_checkable
class Links(DedupMethod, Protocol):
    """Finds documents that are duplicates of each other. Documents of one shard with an equal key are linked there."""

    def pairs(self, hi: Uint64s, lo: Uint64s, vector: Vectors | None) -> Pairs:
        """Which of a bucket's R keys belong together, sorted by (hi, lo) and within that by the order of survival, each
        document's once. `vector` float32[R, D] is that of the keys, where they have one."""


@runtime_checkable
class Verifies(Links, Protocol):
    """Its pairs are candidates only: what proves them is kept by document and compared pair by pair."""

    def sign(self, batch: pa.RecordBatch) -> pa.Array:
        """fixed_size_binary[N]: each document's signature, null where it has none."""

    def keys_of(self, signatures: pa.Array) -> Keys:
        """The keys of N signatures: `keys(batch)` is `keys_of(sign(batch))`."""

    def evidence(self, batch: pa.RecordBatch) -> pa.Array | None:
        """What `agree` compares, [N]; None where that is the signature."""

    def agree(self, left: pa.Array, right: pa.Array) -> npt.NDArray[np.bool_]:
        """bool[M]: which of M pairs of evidence are duplicates."""


@runtime_checkable
class Embeds(Links, Protocol):
    """Its keys only gather the vectors that `pairs` compares: an equal key makes no duplicate."""

    def embed(self, batch: pa.RecordBatch) -> Vectors:
        """float32[N, D]: each document's vector, of which its keys hold copies; 0 throughout where it has none."""


@runtime_checkable
class Spans(DedupMethod, Protocol):
    """Lists the spans of a text that stand in other documents too; keys have `start` and `stop`."""

    @property
    def min_copies(self) -> int:
        """Documents that must have a span before it is listed, 2 or more."""


@runtime_checkable
class Refines(Spans, Protocol):
    """Finds its spans in two rounds: `keys` have none, and those that repeat say where the second round looks."""

    def refine(self, batch: pa.RecordBatch, hi: Uint64s, lo: Uint64s) -> Keys:
        """The second round's keys, with spans, given the repeated keys of the first, sorted by (hi, lo)."""

    def fit(self, text: pa.Array, spans: pa.Array) -> pa.Array:
        """Merged spans list<struct<start: int64, stop: int64>>[N] of text[N], moved to where characters begin."""


@runtime_checkable
class Members(DedupMethod, Protocol):
    """Looks keys up in filters of earlier corpora, and may write one of its own, a partition per bucket."""

    @property
    def looks_up(self) -> Links | Spans:
        """The method whose keys it looks up: known documents are dropped, known spans are listed."""

    @property
    def writes(self) -> bool:
        """Whether a filter of this run's keys is written."""

    def members(self, hi: Uint64s, lo: Uint64s) -> npt.NDArray[np.bool_]:
        """bool[R]: which of R keys are known."""

    def write_partition(self, folder: str, hi: Uint64s, lo: Uint64s, *, number: int, partitions: int) -> None:
        """Writes the partition of one bucket, of all its keys, in which equal ones follow one another."""

    def sizing(self, partitions: int) -> object:
        """The size of the filter to be written. Raises InputError where that is too large."""

    def lines(self, partitions: int) -> tuple[str, ...]:
        """What a reader should know before work: the filters that are read and written."""


@runtime_checkable
class Fit(Component, Protocol):
    """Learns an asset from kept text; sealed once, then loaded by later stages."""

    sample_bytes: int
    asset: ClassVar[str]  # file name of what is learnt

    def fit(self, texts: Iterator[pa.Array]) -> bytes:
        """large_string arrays, in order -> the asset's bytes."""


Files: TypeAlias = str | tuple[str, ...] | Mapping[str, str]  # a path or URI, several in order, or several by name


@runtime_checkable
class UsesAssets(Protocol):
    """A component that loads files: their content's hash enters the stage's address."""

    def assets(self) -> Mapping[str, Files]:
        """Option -> the files that it stands for, in a form that the option itself could have. Raises InputError when
        one is missing."""
