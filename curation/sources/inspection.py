"""Says of a file what it is, why, and how sure that is, and how to read it.

Each source is asked whether the file is one of its own (`Source.recognise`). A file that none of them knows has a form,
by its first bytes, and perhaps the fields of a ready corpus; which fields of its layout the file lacks is told.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from curation.core import catalog, storage
from curation.core.document import MAX_DOCUMENT_BYTES
from curation.core.errors import InputError
from curation.core.file_start import SURENESS, FileStart, Guess, Sureness
from curation.core.first_look import looked_at
from curation.core.protocols import Piece, ReadTally, Source
from curation.core.verbs import READ
from curation.sources.beginning import file_start, seen_part
from curation.sources.corpus import Corpus
from curation.sources.corpus_guess import fitting_corpora, missing_fields
from curation.sources.file_forms import FileForm, form_of
from curation.sources.first_rows import readable_rows, text_length
from curation.sources.layouts import LAYOUTS, published, without_text
from curation.sources.lines import is_compressed
from curation.sources.record_start import RECORD_START
from curation.sources.typed_columns import TypedColumns
from curation.sources.units import small_batches
from curation.sources.yaml_text import yaml_text

ROWS = 5
PACKED_TIMES = 4  # bytes of text for each byte of a compressed file, roughly
# What data sets call their fields, the likeliest first; of a file that is of no corpus.
NAMES: Mapping[str, tuple[str, ...]] = {
    "text": ("text", "content", "raw_content", "contents", "body", "article", "document"),
    "id": ("id", "doc_id", "document_id", "uuid", "digest"),
    "url": ("url", "uri", "link", "source_url", "meta.url", "metadata.url"),
    "crawled_at": ("timestamp", "date", "created", "created_at", "date_download", "crawled_at"),
    "licence": ("license", "licence", "metadata.license", "meta.license"),
    "declared_language": ("language", "lang", "metadata.language", "meta.language"),
}


@dataclass(frozen=True, kw_only=True)
class FileReading:
    """The way in which a file is read: by which source, with which options but `paths`, and why. `missing`: document
    column -> the corpus's field that the file lacks; `also`: other sources or corpora that fit; `needs`: option -> what
    must be given for it."""

    form: str  # as `form_of` names it, or what a source of documents calls it
    source: str
    options: Mapping[str, Any]
    sure: Sureness
    seen: str
    fields: Mapping[str, str]  # dotted name -> type
    corpus: str | None
    missing: Mapping[str, str]
    also: Sequence[str]
    needs: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class InspectedFile:
    """A file and how it is read, as `FileReading` has it, with the line of a recipe that reads it and its first
    documents. `published`: the corpus's version and licence."""

    path: str
    form: str
    source: str
    sure: Sureness
    seen: str
    fields: Mapping[str, str]
    corpus: str | None
    verified: bool
    missing: Mapping[str, str]
    also: Sequence[str]
    needs: Mapping[str, str]
    published: str
    read: str
    rows: Sequence[Mapping[str, Any]]
    records: Mapping[str, int]  # counted while these were read
    faults: Sequence[Mapping[str, str | int]]


Given: TypeAlias = Mapping[str, Mapping[str, str]]  # source -> option -> the file that is given for it


def inspected(
    path: str, corpus: str | None = None, given: Given = MappingProxyType({}), without: Collection[str] = ()
) -> InspectedFile:
    """What a file is; with `corpus`, beside the layout of that one, and else by all sources but those `without` which
    it is asked. Raises InputError for a file that is missing, empty or cannot be read, for one that no source reads,
    and for a corpus that is not known or has no texts."""
    return looked_at(path, partial(_inspected, path, corpus, given, without))


def _inspected(path: str, corpus: str | None, given: Given, without: Collection[str]) -> InspectedFile:
    reading = reading_of(file_start(path), corpus, given, without)
    tally = ReadTally()
    rows: list[Mapping[str, Any]] = []
    options = {**reading.options, "paths": [path]}
    if not reading.needs:
        made: Any = catalog.find(READ, reading.source)(**{**options, "paths": (path,)})
        if corpus:
            made.check([path])
        with small_batches(ROWS), seen_part(made, path) as part:
            rows = [{**row, "origin": path} for row in islice(_rows(made, part, tally), ROWS)]
            tally = tally if part == path else ReadTally()
    return InspectedFile(
        path=path,
        verified=bool(reading.corpus and LAYOUTS[reading.corpus].verified),
        published=published(LAYOUTS[reading.corpus]) if reading.corpus else "",
        read=_written(reading.source, {**dict.fromkeys(reading.needs, "…"), **options}),
        rows=rows,
        records=dict(+tally.records),
        faults=tally.faults,
        **{name: value for name, value in vars(reading).items() if name != "options"},
    )


def reading_of(
    start: FileStart, corpus: str | None = None, given: Given = MappingProxyType({}), without: Collection[str] = ()
) -> FileReading:
    """How a file that begins so is read. Raises InputError for one that no source reads."""
    guesses = [] if corpus else [(key, guess) for key, guess in recognised(start) if key not in without]
    if not guesses:
        return _reading_of_form(start, corpus, ())
    key, guess = guesses[0]
    others = [key for key, other in guesses[1:] if not other.instead]
    if guess.sure == "perhaps":
        try:
            general = _reading_of_form(start, None, [key, *others])
        except InputError:
            general = None
        if general and (guess.instead or general.sure != "perhaps"):
            return general
        others += [general.source] if general else []
    if guess.instead:
        raise InputError(f"{start.path} is taken for {guess.kind} ({guess.sure}: {guess.seen}); {guess.instead}")
    options = {**guess.options, **given.get(key, {})}
    needs = {name: what for name, what in guess.needs.items() if name not in options}
    return FileReading(
        form=guess.kind,
        source=key,
        options=options,
        sure=guess.sure,
        seen=guess.seen,
        fields={},
        corpus=None,
        missing={},
        also=others,
        needs=needs,
    )


def recognised(start: FileStart) -> list[tuple[str, Guess]]:
    """The sources that know a file which begins so, with their guesses, the surest first; of a web archive, which may
    hold files of all kinds, none."""
    if RECORD_START.match(start.content):
        return []
    asked: list[tuple[str, Any]] = [(key, catalog.find(READ, key)) for key in catalog.known(READ)]
    found = [(key, guess) for key, source in asked if (guess := source.recognise(start))]
    return sorted(found, key=lambda one: (list(SURENESS).index(one[1].sure), one[1].instead != ""))


def first_guess(path: str) -> tuple[str, Guess] | None:
    """The source that knows a file best, with its guess; None where none does or the file cannot be read."""
    try:
        found = looked_at(path, lambda: recognised(file_start(path)))
    except InputError:  # the reason is told where the file itself is read
        return None
    return found[0] if found else None


def given_files(paths: Iterable[str]) -> Given:
    """Of some files those that are not read but given as options, such as the catalogue of books."""
    given: dict[str, dict[str, str]] = {}
    for path in paths:
        if (found := first_guess(path)) and found[1].gives:
            given.setdefault(found[0], {})[found[1].gives] = path
    return given


def _reading_of_form(start: FileStart, corpus: str | None, also: Sequence[str]) -> FileReading:
    """By the form and the fields of a file that no source of documents knows."""
    form = form_of(start, "|".join(NAMES["text"]))
    if corpus is not None:
        try:
            Corpus(name=corpus, paths=())
        except ValueError as error:
            raise InputError(str(error)) from None
    found, others = ([corpus], []) if corpus else fitting_corpora(start.path, form.name, form.fields)
    name = found[0] if found else None
    key, options = ("corpus", {"name": name}) if name else _general(start, form)
    if form.fields and "text" in options and options["text"] not in NAMES["text"]:
        form = form._replace(
            sure="perhaps", seen=f"{form.seen}; no field has a name that is usual for text, so the longest one is taken"
        )
    return FileReading(
        form=form.name,
        source=key,
        options=options,
        sure=form.sure,
        seen=form.seen,
        fields=form.fields,
        corpus=name,
        missing=missing_fields(LAYOUTS[name], form.fields) if name and form.fields else {},
        also=[*others, *also],
        needs={},
    )


def _rows(source: Source, path: str, tally: ReadTally) -> Iterator[Mapping[str, Any]]:
    kind = "PDF file" if source.media == "pdf" else "page"
    for batch in source.read((Piece(path, name=path),), "inspect", tally):
        for row in batch.slice(0, ROWS).to_pylist():
            content = row.pop("content", None)  # bytes of a page, not its text
            yield row if content is None else row | {"text": f"a {kind} of {len(content):,} bytes"}


def _written(key: str, options: Mapping[str, Any]) -> str:
    line = yaml_text([{"read": {key: dict(options)}}], flow=True)
    return f"- {line.strip()[2:-2]}" if line.startswith("[{") else line


def _general(start: FileStart, form: FileForm) -> tuple[str, dict[str, Any]]:
    """Key and options of the source that reads a file of no known corpus."""
    path = start.path
    if form.name in ("warc", "wet", "html"):
        return form.name, {}
    if form.name == "tar":
        nested = any(member.files for member in start.members)
        return ("corpus", {"name": "openwebtext"}) if nested else ("plain_text", {})
    if form.name == "text":
        size = storage.size(path) * (PACKED_TIMES if is_compressed(path) else 1)
        return "plain_text", {"document": "blank_lines"} if size > MAX_DOCUMENT_BYTES else {}
    fields = form.fields
    options = {name: next((one for one in names if one in fields), "") for name, names in NAMES.items()}
    text = options.pop("text") or _first_text(path, form.name, fields)
    fitting = {name: field for name, field in options.items() if field and _fits(form.name, path, text, name, field)}
    return form.name, {"text": text, **fitting} if text != "text" else fitting


def _reader(form: str) -> Any:
    """The source that reads a form with fields, which has its name."""
    return catalog.find(READ, form)


def _fits(form: str, path: str, text: str, name: str, field: str) -> bool:
    """Whether the first values of a field are what its document column holds: one called `date` may have no date."""
    try:
        _reader(form)(paths=(), text=text, **{name: field}).check([path])
    except InputError:
        return False
    return True


def _first_text(path: str, form: str, fields: Mapping[str, str]) -> str:
    """The field with the longest texts among those that are named like a text, otherwise among all."""
    texts = [name for name, kind in fields.items() if name and kind in ("str", "string", "large_string")]
    if not texts:
        way = without_text(fields)
        raise InputError(
            f"{path} has no field of text; it has {', '.join(fields) or 'none'}{f'; {way}' if way else ''}"
        )
    named = [name for name in texts if "text" in name.lower()] or texts
    sizes = _row_sizes(path, named) if form == "jsonl" else _column_sizes(path, form, named)
    return max(named, key=lambda name: sizes.get(name, 0))


def _row_sizes(path: str, names: Sequence[str]) -> dict[str, int]:
    rows = readable_rows(path, "|".join(names)).rows
    return {name: text_length(rows, name) for name in names}


def _column_sizes(path: str, form: str, names: Sequence[str]) -> dict[str, int]:
    """Bytes of the columns in the first rows; those of nested ones are not known."""
    source: TypedColumns = _reader(form)(paths=())
    flat = [name for name in names if "." not in name]
    batch = source.first_rows(path, flat) if flat else None
    if batch is None:
        return {}
    return {name: _bytes_of(batch.column(batch.schema.get_field_index(name))) for name in flat}


def _bytes_of(values: pa.Array) -> int:
    stored = values.storage if isinstance(values, pa.ExtensionArray) else values  # such as texts that are JSON
    return int(pc.sum(pc.binary_length(stored)).as_py() or 0)
