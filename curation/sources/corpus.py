"""Ready corpora by name: their files as their publishers give them, read by the table in `layouts`.

    - read: {corpus: {name: dolma, paths: ["dolma/*.json.gz"]}}

Files of JSON lines and Parquet are read as `jsonl` and `parquet` do. In files of text a blank line ends a document; in
tar archives, also within each other, each file is a document. The column `corpus` holds `subset`, the part of the
corpus that a document is of, and `synthetic`, whether a model wrote it. A Parquet file without one of a layout's fields
is read without it, which is counted (`lenient.no_field.url`, by rows); without its text it is refused. Texts whose
beginning is cut are counted (`lenient.prefix`), and documents whose metadata does not fit (`lenient.sidecar`). A
document that its publisher took out, so that a word stands for it, is dropped as `extract:removed`.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.close_names import nearest
from curation.core.component import Signals
from curation.core.credentials import masked
from curation.core.errors import InputError
from curation.core.input_files import InputFile
from curation.core.protocols import Piece, ReadTally, Source
from curation.core.reasons import extract_reason
from curation.core.wording import listed
from curation.sources.blank_lines import sidecar_of
from curation.sources.field_values import alternatives
from curation.sources.first_rows import SHOWN, field_types, readable_rows
from curation.sources.jsonl import CHECKED, WAY_OUT, Jsonl
from curation.sources.layouts import LAYOUTS, CorpusLayout, Form
from curation.sources.mapping import Columns, Convert, unchanged
from curation.sources.parquet import Parquet
from curation.sources.parquet_fields import check_fields, paths_of, present
from curation.sources.source_files import TextSource
from curation.sources.text_files import TextFiles

_FIELDS = ("text", "id", "url", "crawled_at", "licence", "declared_language")


@dataclass(frozen=True, kw_only=True)
class Corpus(TextSource):
    """A corpus that people train on, such as `dolma`, `fineweb` or `pile`; each `paths` entry is a file, a folder or a
    glob."""

    name: Annotated[str, "of the corpus; docs/sources.md has them all"]
    default_licence: Annotated[str | None, "the licence of rows without one: a value, not a field"] = None

    way_out: ClassVar[str] = WAY_OUT
    version: ClassVar[int] = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.name not in LAYOUTS:
            raise ValueError(f"no corpus named {self.name!r}{nearest(self.name, list(LAYOUTS))}")

    @property
    def layout(self) -> CorpusLayout:
        """The row of the table."""
        return LAYOUTS[self.name]

    def signal_types(self) -> Signals:
        """`subset` and `synthetic`."""
        return {"subset": pa.string(), "synthetic": pa.bool_()}

    def check(self, paths: Sequence[str]) -> None:
        """Raises InputError, which names a file, where Parquet cannot be read or lacks the text, or metadata that
        should lie beside a text is not there."""
        by_form: dict[Form, list[str]] = {}
        for path in paths:
            by_form.setdefault(_form(path, self.layout), []).append(path)
        for form, same in by_form.items():
            self._reader(form).check(self._without_sidecars(same))

    def check_fields(self, paths: Sequence[str]) -> None:
        """Raises InputError where no file of JSON lines that can be read has the text."""
        lines = [path for path in self._without_sidecars(paths) if _form(path, self.layout) == "jsonl"]
        if lines:
            self._reader("jsonl").check_fields(lines)

    def split(self, files: Sequence[InputFile], *, group_bytes: int, split_bytes: int) -> list[tuple[Piece, ...]]:
        """Units as those of `jsonl` and `parquet`; texts and tar archives are never cut."""
        units: list[tuple[Piece, ...]] = []
        waiting: list[InputFile] = []
        kept = set(self._without_sidecars([file.path for file in files]))
        for file in (file for file in files if file.path in kept):
            if waiting and _form(file.path, self.layout) != _form(waiting[0].path, self.layout):
                units += self._split(waiting, group_bytes, split_bytes)
                waiting = []
            waiting.append(file)
        return [*units, *self._split(waiting, group_bytes, split_bytes)]

    def _split(self, files: Sequence[InputFile], group_bytes: int, split_bytes: int) -> list[tuple[Piece, ...]]:
        reader = self._reader(_form(files[0].path, self.layout)) if files else None
        return reader.split(files, group_bytes=group_bytes, split_bytes=split_bytes) if reader else []

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        """Batches of `schema`. Raises InputError for a file that is missing, not of its form, or lacks the text."""
        for piece in unit:
            reader = self._reader(_form(piece.path, self.layout))
            for batch in reader.read((piece,), source, tally):
                yield self._finished(batch, piece.path, tally)

    def _reader(self, form: Form) -> Source:
        fields = self.layout.fields
        options: dict[str, Any] = {name: fields[name] for name in _FIELDS if name in fields}
        options |= {"default_licence": self.default_licence, "max_document_bytes": self.max_document_bytes}
        if form == "jsonl":
            return _CorpusJsonl(paths=(), subset=fields.get("subset"), corpus=self.name, **options)
        if form == "parquet":
            years = self.layout.years
            return _CorpusParquet(paths=(), subset=fields.get("subset"), corpus=self.name, years=years, **options)
        return TextFiles(paths=(), tar=form == "tar", sidecar=self.layout.sidecar, **options)

    def _without_sidecars(self, paths: Sequence[str]) -> list[str]:
        beside = {sidecar_of(path) for path in paths} if self.layout.sidecar else set()
        return [path for path in paths if path not in beside]

    def _finished(self, batch: pa.RecordBatch, path: str, tally: ReadTally) -> pa.RecordBatch:
        """The batch with what the table says of texts, and of the file by its path."""
        layout = self.layout
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        columns["text"] = self._texts(columns["text"], tally)
        if layout.placeholder:
            removed = pc.fill_null(pc.equal(pc.utf8_trim_whitespace(columns["text"]), layout.placeholder), False)
            columns["text"] = pc.if_else(removed, pa.scalar(None, pa.large_string()), columns["text"])
            columns["drop_reason"] = pc.if_else(removed, extract_reason("removed"), columns["drop_reason"])
        if layout.url_begins:
            columns["url"] = pc.binary_join_element_wise(layout.url_begins, columns["url"], "")
        language = _found(layout.language_in, path) or layout.language or None
        columns["declared_language"] = pc.coalesce(columns["declared_language"], pa.scalar(language, pa.string()))
        subset = columns.get("subset", pa.nulls(len(batch), pa.string()))
        subset = pc.coalesce(subset, pa.scalar(_found(layout.subset_in, path), pa.string()))
        synthetic = bool(layout.synthetic_in and re.search(layout.synthetic_in, path))
        kinds = self.schema().field("corpus").type
        columns["corpus"] = pa.StructArray.from_arrays([subset, pa.repeat(synthetic, len(batch))], fields=list(kinds))
        return pa.RecordBatch.from_arrays([columns[name] for name in self.schema().names], schema=self.schema())

    def _texts(self, texts: pa.Array, tally: ReadTally) -> pa.Array:
        if self.layout.prefix:
            whole = texts
            texts = pc.replace_substring_regex(whole, self.layout.prefix, "", max_replacements=1)
            cut = pc.sum(pc.not_equal(pc.binary_length(texts), pc.binary_length(whole))).as_py()
            if cut:
                tally.records["lenient.prefix"] += cut
        return pc.replace_substring(texts, "\\n", "\n") if self.layout.escaped else texts


class _Subset(Columns):
    """The columns of a corpus, with the field of its subset; any but the text's may be missing."""

    subset: str | None
    corpus: str

    def named(self) -> dict[str, str]:
        return super().named() | ({"subset": self.subset} if self.subset else {})

    def lacking(self, path: str, names: Sequence[str]) -> InputError:
        """Says what a file without a text has in its place, and what to do."""
        layout = LAYOUTS[self.corpus]
        way = layout.without_text or (
            "it is of another edition, or of another corpus: `winnow inspect` shows its fields and how to read it"
        )
        return InputError(
            f"{path} has no field {self.text!r}, which is the text in {self.corpus}; it has "
            f"{listed(names, SHOWN) or 'none'}: {way}"
        )


@dataclass(frozen=True, kw_only=True)
class _CorpusJsonl(_Subset, Jsonl):
    """Files of JSON lines."""

    subset: str | None = None
    corpus: str

    def required(self) -> dict[str, str]:
        return {"text": self.text}

    def check(self, paths: Sequence[str]) -> None:
        with self.explained(paths):
            super().check(paths)

    def check_fields(self, paths: Sequence[str]) -> None:
        with self.explained(paths):
            super().check_fields(paths)

    @contextmanager
    def explained(self, paths: Sequence[str]) -> Iterator[None]:
        """Raises what `lacking` says for the first file without a text, where a check has failed."""
        try:
            yield
        except InputError:
            for path in paths[:CHECKED]:
                rows = readable_rows(path, self.text).rows
                names = list(dict.fromkeys(name for row in rows for name, _ in field_types(row)))
                if names and not any(field in names for field in alternatives(self.text)):
                    raise self.lacking(masked(path), names) from None
            raise


@dataclass(frozen=True, kw_only=True)
class _CorpusParquet(_Subset, Parquet):
    """Files of Parquet."""

    subset: str | None = None
    corpus: str
    years: bool = False

    def checked(self, schema: pa.Schema, path: str) -> dict[str, str]:
        if not present(schema, self.text):
            raise self.lacking(path, [name for name, _ in paths_of(schema)])
        there = {name: field for name, field in self.named().items() if present(schema, field)}
        check_fields(schema, there, path)
        return there

    def batches(
        self,
        values: dict[str, pa.Array],
        offsets: npt.NDArray[np.int64],
        piece: Piece,
        source: str,
        tally: ReadTally,
        convert: Convert = unchanged,
    ) -> Iterator[pa.RecordBatch]:
        for name in sorted(self.named().keys() - values.keys()):
            tally.records[f"lenient.no_field.{name}"] += len(offsets)
        if self.years and "crawled_at" in values:
            values = values | {"crawled_at": values["crawled_at"].cast(pa.string())}
        return super().batches(values, offsets, piece, source, tally, convert)


def _form(path: str, layout: CorpusLayout) -> Form:
    """The form of a file: of several that the corpus has, by its name."""
    is_parquet = PurePosixPath(path.partition("?")[0]).suffix.lower() == ".parquet"
    fitting = [form for form in layout.forms if (form == "parquet") == is_parquet]
    return (fitting or layout.forms)[0]


def _found(pattern: str, path: str) -> str | None:
    match = re.search(pattern, path) if pattern else None
    return match[1] if match else None
