"""What components of each verb do beside what all of them declare (`component`); filters are in `filter`,
dedup methods in `dedup_methods`, fits in `fits`."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, ClassVar, Literal, Self, TypeAlias, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.core.answers import Extraction, Rewrite
from curation.core.catalog import key_of
from curation.core.component import Component, Keyed, struct_type
from curation.core.document import DOCUMENT
from curation.core.file_start import FileStart, Guess
from curation.core.filter import IN_MEMORY, Filter
from curation.core.input_files import InputFile, hidden_files, list_files
from curation.core.input_rows import InputRows
from curation.core.verbs import EXTRACT, READ, REWRITE, Verb

MAX_FAULTS = 100  # that a unit lists
PAGES_IN_MEMORY = "curation.core.pages_in_memory"  # as IN_MEMORY
CRAWL = "commoncrawl:"  # begins a path that names files of a crawl


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
    violate their standard, by violation (`lenient.media_type`); `truncated.*` lack their end, by cause.
    """

    records: Counter[str] = field(default_factory=Counter)
    faults: list[dict[str, str | int]] = field(default_factory=list)  # {"file", "offset", "error"}
    files: dict[str, InputRows] = field(default_factory=dict)  # of sources that count the rows of their files

    def rows_of(self, file: str, called: str = "line") -> InputRows:
        """The figures of a file, to be added to; `called` is what one of its rows is."""
        return self.files.setdefault(file, InputRows(file, called))

    def skip(self, file: str, cause: str, offset: int, error: str, *, line: int | None = None) -> None:
        """Counts a row of a file that could not be read (`skipped.<cause>`) and notes the place."""
        self.records[f"skipped.{cause}"] += 1
        self.fault(file, offset, error)
        self.rows_of(file).fail(cause, offset, error, line)

    def fault(self, file: str, offset: int, error: str) -> None:
        """Notes damage: the first MAX_FAULTS in full, the rest as a count, `faults.unlisted`."""
        if len(self.faults) < MAX_FAULTS:
            self.faults.append({"file": file, "offset": offset, "error": error})
        else:
            self.records["faults.unlisted"] += 1

    def lose(self, file: str, size: int, lost: int, offset: int, error: str) -> None:
        """Counts the bytes of a file, of which so many could not be read, the first of them at a fault."""
        read = self.rows_of(file, "byte")
        read.read += size - lost
        if lost:
            read.fail("damaged", offset, error)
            read.failed["damaged"] += lost - 1


class Source(Component):
    """Reads records. `yields` is "html" if extraction must follow, of pages or files, else "text"."""

    verb: ClassVar[Verb | None] = READ
    paths: tuple[str, ...]
    yields: ClassVar[Literal["html", "text"]]
    media: str = "html"  # or "pdf": what extraction is given
    whole_files: ClassVar[bool] = False  # reads all of a file, or of all files, before its first document
    way_out: ClassVar[str] = "give it as several files"  # where a compressed file keeps one core busy

    @classmethod
    def recognise(cls, start: FileStart) -> Guess | None:
        """Says what a file that begins so is, if this source reads it, or knows it and does not read it; else None."""
        return None

    def list_inputs(self, pattern: str) -> list[InputFile]:
        """What one of `paths` names, sorted: files, unless records lie otherwise. Raises InputError if nothing."""
        return list_files(pattern)

    def left_out(self, pattern: str) -> list[str]:
        """The files that one of `paths` would name too, were their names not hidden."""
        return [] if pattern.startswith(CRAWL) else hidden_files(pattern)

    def split(self, files: Sequence[InputFile], *, group_bytes: int, split_bytes: int) -> list[tuple[Piece, ...]]:
        """Units in file order: small files grouped up to `group_bytes` of input, splittable large ones cut into ranges
        of about `split_bytes`."""
        raise NotImplementedError

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        """Batches of `document.RAW` (html) or of `schema` (text), at most about 1,000 rows or 16 MiB each."""
        raise NotImplementedError

    def schema(self) -> pa.Schema:
        """Of the documents that it makes, where it yields text: a source with signals has a column named as its key."""
        signals = self.signal_types()
        return DOCUMENT.append(pa.field(key_of(type(self)), struct_type(signals))) if signals else DOCUMENT

    def check(self, paths: Sequence[str]) -> None:
        """Raises InputError, which names a file, where a look at it shows that `read` would refuse it; of many files,
        looks at some."""

    def check_fields(self, paths: Sequence[str]) -> None:
        """As `check`, where files may be passed over: raises InputError for what is wrong in all of them."""


class Extractor(Component):
    """Turns the bytes of a page into its main text. Its signals are the fields of the column `extract`."""

    verb: ClassVar[Verb | None] = EXTRACT
    media: str = "html"  # that of the sources which it reads

    @overload
    def __call__(self, pages: str | bytes | Mapping[str, Any]) -> Extraction: ...
    @overload
    def __call__(self, pages: Sequence[Any]) -> list[Extraction]: ...
    @overload
    def __call__(self, pages: Any) -> Any: ...
    def __call__(self, pages: Any) -> Any:
        """Takes the main text of pages in memory: of one, as text or bytes; a list of them; a column or a table of
        Arrow or pandas, which gives a table."""
        return import_module(PAGES_IN_MEMORY).extracted(self, pages)

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

    @overload
    def __call__(self, texts: str | Mapping[str, Any]) -> Rewrite: ...
    @overload
    def __call__(self, texts: Sequence[Any]) -> list[Rewrite]: ...
    @overload
    def __call__(self, texts: Any) -> Any: ...
    def __call__(self, texts: Any) -> Any:
        """Rewrites texts in memory, which are given as to a filter."""
        return import_module(IN_MEMORY).rewritten(self, texts)

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
