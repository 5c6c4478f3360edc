"""The shapes that a stage's parts have. A frozen dataclass that fits one of them is both config and code.

Each lives in a module named after its recipe key (`curation/filters/gopher_quality.py` holds `GopherQuality`), is
pure, pickles, and states `version: ClassVar[int]`, raised when the same input would give another output.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core.rules import Rule
from curation.core.storage import InputFile


@dataclass(frozen=True)
class Piece:
    """Part of one input file: bytes (or row groups) [start, stop); stop -1 = to the end. `name` is the file's name
    among all of its source, which enters the ids of its documents."""

    path: str
    start: int = 0
    stop: int = -1
    name: str = ""


@dataclass
class ReadTally:
    """Records by what became of them, and faults with file and offset.

    `skipped.*` are those passed over, by cause (`skipped.request`, `skipped.status.404`); `lenient.*` those that were
    read though they are not as their standard has them, by what is odd (`lenient.media_type`).
    """

    records: Counter[str] = field(default_factory=Counter)
    faults: list[dict[str, str | int]] = field(default_factory=list)  # {"file", "offset", "error"}


@runtime_checkable
class Source(Protocol):
    """Where records come from. `yields` says whether extraction must follow ("html") or text is there ("text")."""

    paths: tuple[str, ...]
    yields: ClassVar[Literal["html", "text"]]
    version: ClassVar[int]

    def split(self, files: Sequence[InputFile], *, group_bytes: int, split_bytes: int) -> list[tuple[Piece, ...]]:
        """Units of work in file order: small files grouped up to `group_bytes` of input, a splittable large one cut
        into ranges of about `split_bytes`."""
        ...

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        """Batches of `document.RAW` (html) or `document.DOCUMENT` (text), at most about 1,000 rows or 16 MiB each."""
        ...


@runtime_checkable
class Extractor(Protocol):
    """Bytes of a page to its main text."""

    version: ClassVar[int]
    signals: ClassVar[pa.StructType]  # what the struct column `extract` holds
    # libraries: ClassVar[tuple[str, ...]], where there are some: their versions enter the stage's address

    def extract(
        self, pages: pa.RecordBatch, caught: Mapping[str, str], on_caught: Callable[[str, str], None]
    ) -> pa.RecordBatch:
        """RAW[N] -> DOCUMENT[N] plus the struct column `extract`, same rows and order.

        `caught` maps doc_id to the cause with which the wall-clock and memory net dropped it in an earlier attempt; it
        is dropped again untried. `on_caught(doc_id, cause)` is called at once for each page that the net catches now.
        """
        ...


@runtime_checkable
class Filter(Protocol):
    """Measures signals and states the limits on them; never edits. May state `libraries` as an extractor does."""

    reads: ClassVar[tuple[str, ...]]
    version: ClassVar[int]

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> one array[N] per signal, numeric or string. A document's values never depend on its
        neighbours."""
        ...

    def rules(self) -> tuple[Rule, ...]: ...


@runtime_checkable
class Rewriter(Protocol):
    """Edits text and counts what it changed; never drops."""

    reads: ClassVar[tuple[str, ...]]
    version: ClassVar[int]

    def rewrite(self, batch: pa.RecordBatch) -> tuple[pa.Array, dict[str, pa.Array]]:
        """Batch of N documents -> (large_string[N], {count name: int64[N]})."""
        ...


Uint64s: TypeAlias = npt.NDArray[np.uint64]
Ints: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Keys:
    """Dedup keys: parallel arrays of R keys in the order of their rows; a row may have none or several."""

    hi: Uint64s
    lo: Uint64s
    row: Ints  # in the batch
    start: Ints | None = None  # of keys that stand for a span of the row's text: its first byte …
    stop: Ints | None = None  # … and the byte after its last
    vector: npt.NDArray[np.float32] | None = None  # float32[R, D] of keys that only gather what is then compared


@dataclass(frozen=True)
class Pairs:
    """Rows of a bucket that may be duplicates, by their index: `left` ranks before `right`."""

    left: Ints
    right: Ints
    skipped: int = 0  # rows of groups too large to pair each with each: paired with some only


@runtime_checkable
class DedupMethod(Protocol):
    """Turns documents into keys. Documents (or, where keys have spans, spans) with an equal key are duplicates, unless
    the method says more below. A method whose keys have spans states `gives_spans: ClassVar[bool] = True` and has an
    option `min_copies`; one whose keys have vectors states `gives_vectors`."""

    reads: ClassVar[tuple[str, ...]]
    version: ClassVar[int]

    def keys(self, batch: pa.RecordBatch) -> Keys: ...


@runtime_checkable
class PairsKeys(DedupMethod, Protocol):
    """A method that says itself which of a bucket's keys belong together."""

    def pairs(self, hi: Uint64s, lo: Uint64s, vector: npt.NDArray[np.float32] | None) -> Pairs:
        """Of R keys sorted by (hi, lo) and within that by the order of survival, those of one document once."""
        ...


@runtime_checkable
class Verifies(PairsKeys, Protocol):
    """A method whose pairs are candidates only: what proves them is kept by document and compared pair by pair."""

    def sign(self, batch: pa.RecordBatch) -> pa.Array:
        """fixed_size_binary[N]: each document's signature, null where it has none."""
        ...

    def keys_of(self, signatures: pa.Array) -> Keys:
        """The keys of N signatures: `keys(batch)` is `keys_of(sign(batch))`."""
        ...

    def evidence(self, batch: pa.RecordBatch) -> pa.Array | None:
        """What `agree` compares, [N]; None where that is the signature."""
        ...

    def agree(self, left: pa.Array, right: pa.Array) -> npt.NDArray[np.bool_]:
        """bool[M]: which of M pairs of evidence are duplicates."""
        ...


@runtime_checkable
class Refines(DedupMethod, Protocol):
    """A method of spans in two rounds: keys that repeat in the first say where the second looks."""

    def refine(self, batch: pa.RecordBatch, hi: Uint64s, lo: Uint64s) -> Keys:
        """The second round's keys, with spans, given the repeated keys of the first, sorted by (hi, lo)."""
        ...

    def fit(self, text: pa.Array, spans: pa.Array) -> pa.Array:
        """Merged spans list<struct<start: int64, stop: int64>>[N] of text[N], moved to where characters begin."""
        ...


@runtime_checkable
class Fit(Protocol):
    """Learns an asset from kept text; sealed once, then loaded by later stages."""

    sample_bytes: int
    version: ClassVar[int]
    asset: ClassVar[str]  # file name of what is learnt

    def fit(self, texts: Iterator[pa.Array]) -> bytes:
        """large_string arrays, in order -> the asset's bytes."""
        ...


Files: TypeAlias = str | tuple[str, ...] | Mapping[str, str]  # a path or URI, several in order, or several by name


@runtime_checkable
class UsesAssets(Protocol):
    """A part that loads files: their content's hash enters the stage's address."""

    def assets(self) -> Mapping[str, Files]:
        """Option -> the files that it stands for, in a form that the option itself could have. Raises InputError when
        one is missing."""
        ...
