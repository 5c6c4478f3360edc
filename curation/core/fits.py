"""Bases of fits: components that learn an asset, sealed once and loaded by later stages as `@name`.

A fit derives from one of `Learns`, which is shown a sample in one task, `Counts`, whose counting runs over all workers,
`LearnsPages`, which is shown pages before they are extracted, and `Indexes`, which reads files and no documents.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, ClassVar, Self, TypeAlias

import pyarrow as pa

from curation.core.component import Component
from curation.core.errors import RecipeError
from curation.core.verbs import FIT, Verb

# columns that rows of examples have besides those that the fit reads
LABEL = "label"
HELD_OUT = "held_out"


@dataclass(frozen=True, kw_only=True)
class Examples:
    """Where labelled documents are: in files, or the kept documents of a chain ("" and no files: the fit's own)."""

    files: Annotated[str | tuple[str, ...], "paths, folders, globs or URIs of JSON lines or Parquet"] = ()
    chain: Annotated[str, "a source of the recipe that stands before the fit"] = ""
    text: Annotated[str, "field of the files"] = "text"
    where: Annotated[
        str, "SQL condition over the files' fields, as DuckDB has it: \"score >= 4 AND language = 'en'\""
    ] = ""
    label: Annotated[str, "field of the files that holds each document's label"] = ""

    def __post_init__(self) -> None:
        if isinstance(self.files, str):
            object.__setattr__(self, "files", (self.files,))
        if self.files and self.chain:
            raise RecipeError("files and chain are both given; examples come from one of them")
        if not self.files and (self.where or self.label or self.text != "text"):
            raise RecipeError("text, where and label are of files: give files, or leave them out")
        if not self.text:
            raise RecipeError("text is empty; give the field that holds the documents' text")

    @property
    def paths(self) -> tuple[str, ...]:
        """The files."""
        return (self.files,) if isinstance(self.files, str) else self.files

    @classmethod
    def of(cls, files: "ExampleFiles") -> Self:
        """What an option of the type `ExampleFiles` says."""
        return files if isinstance(files, cls) else cls(files=files)  # type: ignore[arg-type]


ExampleFiles: TypeAlias = str | tuple[str, ...] | Examples  # type of an option: a path, several, or all that is above


class Fit(Component):
    """Learns an asset; of documents, from those that were kept, or from labelled ones (`examples`).

    A field of a struct that it reads is named "struct.field" and comes in its struct. Which documents are drawn depends
    on their ids alone. One that reads documents has the option `sample_bytes` or `sample_documents`; deriving from
    `curation.fit.sample.shares.Sampled` gives it `sample_bytes` and a sample that may be balanced over groups.
    """

    verb: ClassVar[Verb | None] = FIT
    asset: ClassVar[str]  # name of the main file, which `@name` stands for; others may lie beside it

    # Options, which a fit that has them declares as its fields.
    sample_bytes: Annotated[int | None, "of UTF-8 text that it is shown at most"] = None
    sample_documents: Annotated[int | None, "that it is shown at most, and their text only where `reads` names it"] = (
        None
    )
    sample_by: Annotated[str, 'what groups documents in a balanced sample: "source", a column, or LABEL'] = ""
    sample_weights: Annotated[Mapping[str, float], "of groups"] = MappingProxyType({})
    held_out: Annotated[
        float, "share of labelled documents, by the hashes of their texts, that `Learns` is judged by"
    ] = 0.0

    def balanced(self, sizes: Mapping[str, int]) -> Mapping[str, float] | None:
        """Group -> bytes to draw, of groups with so many bytes of text; None for the same share of each. Raises
        RecipeError for weights that do not fit the groups."""
        return None

    def examples(self) -> Mapping[str, Examples] | None:
        """Label -> where its documents are; with the field `Examples.label` the key says nothing. None: it reads those
        of its chain, without labels.

        The rows have a column `label: string` and, from files, the text and no other column. The rows of `Learns` also
        have `held_out: bool`. Texts that are equal in their normal form are one example; those drawn for two labels are
        left out, and where that is more than half of a label's, the run stops. The rows come in the order of the hashes
        of their texts, which is random and the same for any cut. `sample_by` must be LABEL. `Counts` are shown every
        row that is drawn.
        """
        return None

    def inputs(self) -> Mapping[str, tuple[str, ...]]:
        """Name -> paths, folders, globs or URIs of the files that it reads: of examples, by label."""
        return {label: examples.paths for label, examples in (self.examples() or {}).items() if examples.files}

    def check(self, files: Mapping[str, Sequence[str]]) -> None:
        """Raises InputError, before any work, for files by name that cannot be read or lack something; the fields of
        examples are looked at besides."""


class Learns(Fit):
    """A fit that sees its sample in one task."""

    def fit(self, rows: Iterator[pa.RecordBatch]) -> Mapping[str, bytes]:
        """Batches of N documents with the columns of `reads`, in the order of the chain's shards -> the asset's files
        by name. Raises InputError where there is nothing to learn from."""
        raise NotImplementedError


class LearnsPages(Fit):
    """A fit of a source's raw pages; it stands between the source's `read` and its `extract`.

    Some of the source's units of input are read whole, chosen by the hashes of their names; of each the same number of
    pages that are `of_use` is drawn, by the hashes of their ids.
    """

    pages: Annotated[int, "that are drawn"]
    archives: Annotated[int, "units of input that are read for them, each a file or neighbouring small ones"]

    def schema(self) -> pa.Schema:
        """Of the rows of `look`."""
        raise NotImplementedError

    def of_use(self, pages: pa.RecordBatch) -> pa.BooleanArray:
        """RAW[N] -> bool[N]: pages that it could learn from, seen before any work on them."""
        return pa.repeat(True, pages.num_rows)

    def look(self, pages: pa.RecordBatch) -> pa.RecordBatch:
        """RAW[N] -> what is learned from, a row for each page that is of use: the work that runs on all workers."""
        raise NotImplementedError

    def fit(self, rows: Iterator[pa.RecordBatch]) -> Mapping[str, bytes]:
        """Batches of `schema` in the order of the units -> the asset's files by name. Raises InputError where there is
        nothing to learn from."""
        raise NotImplementedError


class Counts(Fit):
    """A fit of sums: any cut of the documents into units and buckets, and any order of rows, gives the same files."""

    def schema(self) -> pa.Schema:
        """Of the rows of `count`: one column is `key_hi: uint64`."""
        raise NotImplementedError

    def count(self, rows: Iterator[pa.RecordBatch]) -> pa.Table:
        """Documents as `Learns.fit` has them, some megabytes at a time -> rows of `schema`. By the first bits of
        `key_hi` they go to buckets, so these should be those of a hash."""
        raise NotImplementedError

    def merge(self, table: pa.Table) -> pa.Table:
        """Rows of one bucket, or of a part of it -> the same counts in as few rows. It is associative: rows are merged
        by unit first, then by bucket."""
        raise NotImplementedError

    def finish(self, tables: Iterable[pa.Table]) -> Mapping[str, bytes]:
        """The merged table of each bucket, in the order of `key_hi` between buckets -> the asset's files by name. They
        are read anew each time that `tables` is iterated."""
        raise NotImplementedError


class Indexes(Fit):
    """A fit of the files of its `inputs`, in one task; it reads no documents, and no stage before it."""

    def examples(self) -> Mapping[str, Examples]:
        return {}

    def inputs(self) -> Mapping[str, tuple[str, ...]]:
        raise NotImplementedError

    def index(self, files: Mapping[str, Sequence[str]]) -> Mapping[str, bytes]:
        """The files of each name, sorted by path -> the asset's files by name. Raises InputError as `check` does."""
        raise NotImplementedError
