"""What a file is, by its bytes: its form and its fields, the ready corpus whose layout it has, and how to read it.

A guess: a corpus is named where the file has its text and more of its fields than of any other's, or where the file's
path has its name. Which fields of its layout the file lacks is told in any case.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Any

import yaml

from curation.core.errors import InputError
from curation.core.protocols import Piece, ReadTally, Source
from curation.sources.corpus import Corpus
from curation.sources.field_values import alternatives
from curation.sources.first_rows import field_types, rows_in
from curation.sources.inflate import container, spans
from curation.sources.json_form import BOM, check_encoding, check_rows
from curation.sources.jsonl import Jsonl
from curation.sources.layouts import LAYOUTS, CorpusLayout
from curation.sources.parquet import Parquet, opened
from curation.sources.parquet_fields import paths_of
from curation.sources.read_ahead import Window, open_raw
from curation.sources.record_start import RECORD_START
from curation.sources.tars import is_tar
from curation.sources.warc import Warc
from curation.sources.wet import Wet
from curation.sources.zips import ZIP

# Begins what is not plain text: markup, an array without objects, a PDF file.
NO_TEXT = re.compile(rb"\s*(?:<\?xml|<!doctype|<html|\[\s*[\[{]|%PDF-)", re.IGNORECASE)
ROWS = 5
START = 1 << 18  # bytes of a file's beginning
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
class InspectedFile:
    """`read` is what a recipe writes; `missing`: document column -> the corpus's field that the file lacks; `also`: the
    corpora of the same fields; `rows` has the first documents."""

    path: str
    form: str  # parquet, jsonl, warc, wet, tar or text
    fields: Mapping[str, str]  # dotted name -> type
    corpus: str | None
    verified: bool
    missing: Mapping[str, str]
    also: Sequence[str]
    read: str
    rows: Sequence[Mapping[str, Any]]
    records: Mapping[str, int]  # counted while these were read
    faults: Sequence[Mapping[str, str | int]]


def inspected(path: str, corpus: str | None = None) -> InspectedFile:
    """What a file is; with `corpus`, beside the layout of that one. Raises InputError for a file that is missing, empty
    or cannot be read, and for a corpus that is not known or has no texts."""
    form, fields = _looked_at(path)
    if corpus is not None:
        try:
            Corpus(name=corpus, paths=())
        except ValueError as error:
            raise InputError(str(error)) from None
    found, also = ([corpus], []) if corpus else _guessed(path, form, fields)
    name = found[0] if found else None
    key, options = ("corpus", {"name": name}) if name else _general(path, form, fields)
    made = {"corpus": Corpus, "jsonl": Jsonl, "parquet": Parquet, "warc": Warc, "wet": Wet}[key](
        paths=(path,), **options
    )
    tally = ReadTally()
    return InspectedFile(
        path=path,
        form=form,
        fields=fields,
        corpus=name,
        verified=bool(name and LAYOUTS[name].verified),
        missing=_missing(LAYOUTS[name], fields) if name and fields else {},
        also=also,
        read=_written(key, {**options, "paths": [path]}),
        rows=list(islice(_rows(made, path, tally), ROWS)),
        records=dict(+tally.records),
        faults=tally.faults,
    )


def _rows(source: Source, path: str, tally: ReadTally) -> Iterator[Mapping[str, Any]]:
    for batch in source.read((Piece(path, name=path),), "inspect", tally):
        for row in batch.slice(0, ROWS).to_pylist():
            content = row.pop("content", None)  # bytes of a page, not its text
            yield row if content is None else row | {"text": f"a page of {len(content)} bytes"}


def _written(key: str, options: Mapping[str, Any]) -> str:
    line = yaml.safe_dump([{"read": {key: dict(options)}}], default_flow_style=True, sort_keys=False, width=10_000)
    return f"- {line.strip()[2:-2]}" if line.startswith("[{") else line


def _looked_at(path: str) -> tuple[str, dict[str, str]]:
    """The form and, of JSON lines and Parquet, the fields."""
    with closing(open_raw(path)) as raw:
        window = Window(raw)
        head = window.at(0, 4)
        if head == b"PAR1":
            with opened(path) as (footer, _):
                return "parquet", {name: str(kind) for name, kind in paths_of(footer.schema)}
        if head == ZIP:
            return "warc", {}
        start = b""
        for span in spans(window, container(window), lambda *_: None):
            start += span.data
            if len(start) >= START:
                break
    if not start.strip():
        raise InputError(f"{path} has nothing to read: it is empty, or damaged from its beginning")
    check_encoding(start, path)
    if RECORD_START.match(start):
        return ("wet" if re.search(rb"(?im)^WARC-Type:[ \t]*conversion", start) else "warc"), {}
    if is_tar(start):
        return "tar", {}
    check_rows(start, path, "|".join(NAMES["text"]))
    rows = rows_in(start)
    if not rows and not start.removeprefix(BOM).lstrip().startswith(b"{"):
        if NO_TEXT.match(start) or b"\0" in start:
            raise InputError(
                f"{path} is of no form that is recognized here (WARC, WET, JSON lines, Parquet, tar, plain text): it "
                f"begins with {start[:12]!r}; `pdf` reads PDF files, `jats`, `stackexchange` and `wikipedia_xml` read "
                "XML, and docs/sources.md has all sources"
            )
        return "text", {}
    return "jsonl", {name: kind for row in rows for name, kind in field_types(row)}


def _guessed(path: str, form: str, fields: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """The corpus whose layout fits best, and the others that fit as well."""
    scores = {name: _score(name, layout, path, form, fields) for name, layout in LAYOUTS.items() if not layout.refused}
    best = max(scores.values())
    if best < 3.0:
        return [], []
    first, *others = [name for name, score in scores.items() if score == best]
    return [first], others


def _score(name: str, layout: CorpusLayout, path: str, form: str, fields: Mapping[str, str]) -> float:
    """How well a layout fits: its fields that are there less those that are not, and much for its name in the path."""
    if form not in layout.forms:
        return -1.0
    named = 10.0 + len(name) / 100 if re.sub(r"[_\W]", "", name) in re.sub(r"[_\W]", "", path.lower()) else 0.0
    patterns = sum(bool(p and re.search(p, path)) for p in (layout.language_in, layout.subset_in))
    if not fields:
        return named + 3.0 * patterns + (1.0 if form == "tar" else 0.0)
    missing = _missing(layout, fields)
    if "text" in missing:
        return -1.0
    nested = sum("." in field for name, field in layout.fields.items() if name not in missing)  # few have the same
    return named + patterns + len(layout.fields) - 2.0 * len(missing) + nested


def _missing(layout: CorpusLayout, fields: Mapping[str, str]) -> dict[str, str]:
    """Document column -> the layout's field, where the file has none of its names."""
    return {
        name: field
        for name, field in layout.fields.items()
        if not any(_has(fields, one) for one in alternatives(field))
    }


def _has(fields: Mapping[str, str], field: str) -> bool:
    return field in fields or any(field.startswith(f"{name}.") and kind == "string" for name, kind in fields.items())


def _general(path: str, form: str, fields: Mapping[str, str]) -> tuple[str, dict[str, Any]]:
    """Key and options of the source that reads a file of no known corpus."""
    if form in ("warc", "wet"):
        return form, {}
    if form in ("text", "tar"):
        return "corpus", {"name": "cc100" if form == "text" else "openwebtext"}
    options = {name: next((one for one in names if one in fields), "") for name, names in NAMES.items()}
    options["text"] = options["text"] or _first_text(path, fields)
    return form, {name: field for name, field in options.items() if field and (name, field) != ("text", "text")}


def _first_text(path: str, fields: Mapping[str, str]) -> str:
    texts = [name for name, kind in fields.items() if kind in ("str", "string", "large_string")]
    if not texts:
        raise InputError(f"{path} has no field of text; it has {', '.join(fields) or 'none'}")
    return next((name for name in texts if "text" in name.lower()), texts[0])
