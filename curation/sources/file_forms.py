"""Finds the form of a file that no source of documents knows, and the fields in it."""

import csv
import re
from collections.abc import Mapping
from itertools import islice
from typing import NamedTuple

from curation.core.errors import InputError
from curation.core.file_start import FileMember, FileStart, Sureness
from curation.core.protocols import ReadTally
from curation.core.wording import counted, listed
from curation.sources import arrow
from curation.sources.arrow import Arrow
from curation.sources.beginning import START
from curation.sources.csv import Csv
from curation.sources.first_rows import field_types
from curation.sources.html import PAGE
from curation.sources.http import looks_like_html
from curation.sources.json_form import check_encoding, check_rows
from curation.sources.lines import MAX_DEPTH, PACKED
from curation.sources.parquet import opened
from curation.sources.parquet_fields import paths_of
from curation.sources.plain_text import file_text
from curation.sources.record_start import RECORD_START
from curation.sources.wacz import ARCHIVES

FORMS = "WARC, WET, JSON lines, Parquet, Arrow, CSV, HTML, tar, plain text"
ROWS = 50  # of a table, by which it is recognised
PROSE = 0.9  # share of letters from which a text is prose, and no program or list
SENTENCE = 500  # characters of a sentence, at most, on average
MOST = 0.01  # share of control characters that a text may have
TAGS = 0.5  # tags a line, from which a text is a page
# Elements of HTML with which pages without <html> begin.
ELEMENTS = frozenset(
    "a article b body br div font form h1 h2 head iframe main p section span style table title".split()
)
LOOKED = 1 << 10  # bytes
PACKINGS = {  # how what is compressed begins
    b"LZIP": "lzip",
    b"]\0\0": "LZMA",
    b"\x1f\x9d": "compress",
    b"Rar!": "RAR",
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"(\xb5/\xfd": "zstd",
}
SHOWN = 3  # names of an archive's files
# Begins what is not plain text: markup, an array without objects, a PDF file.
NO_TEXT = re.compile(rb"\s*(?:<\?xml|\[\s*[\[{]|%PDF-)", re.IGNORECASE)
_NOTE = re.compile(rf"\.(?:txt|text|md|markdown|rst)(?:\.(?:{PACKED}))?\Z", re.IGNORECASE)  # ends names of plain text
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\{\s*[\"}]|\[)")
_WIDE_JSON = re.compile(r"\s*(?:\{\s*[\"}]|\[)")
_CONTROL = re.compile(r"[\0-\x08\x0e-\x1a\x7f\ufffd]")
_PROGRAM = re.compile(
    r"^from [\w.]+ import |^(?:import|package|using) [\w.]+;?$|^#include|^(?:def|class) \w[^\n]*:$"
    r"|\\(?:cite|ref|label|section|begin|input)\b",
    re.MULTILINE,
)
_SENTENCE = re.compile(r"\w\w[.!?]|[。！？।]")
_HTML_TYPE = re.compile(r"<!DOCTYPE\s+html\b", re.IGNORECASE)
_MARKDOWN = re.compile(r"^(?:#{1,6} \S|```)", re.MULTILINE)  # in a file that may begin with HTML
_TAG = re.compile(r"</?[A-Za-z]")
_MARKUP = re.compile(rb"\s*(?:<\?xml|%PDF-)", re.IGNORECASE)  # is none, whatever its name
_DELIMITED = re.compile(rf"\.(?:csv|tsv|tab)(?:\.(?:{PACKED}))?\Z", re.IGNORECASE)


class FileForm(NamedTuple):
    """`name` is parquet, arrow, jsonl, csv, warc, wet, html, tar or text; `fields` are types by dotted names; `seen`
    says what speaks for it."""

    name: str
    fields: Mapping[str, str]
    sure: Sureness
    seen: str


def form_of(start: FileStart, text: str) -> FileForm:
    """The form of a file; `text`: fields, with | between them, that may hold the text. Raises InputError for a file of
    none of these forms."""
    path = start.path
    if start.folder:
        raise InputError(f"{path} is a folder; give files, as {path.rstrip('/')}/*")
    if start.raw.startswith(b"PAR1"):
        with opened(path) as (footer, _):
            fields = {name: str(kind) for name, kind in paths_of(footer.schema)}
        return FileForm("parquet", fields, "certain", "it begins with PAR1")
    if start.raw.startswith((arrow.FILE, arrow.STREAM, arrow.FEATHER_1)):
        fields = {name: str(kind) for name, kind in paths_of(Arrow(paths=()).schema_of(path))}
        return FileForm("arrow", fields, "certain", "it begins as files of Arrow do")
    if start.archive:
        return _archive_form(start)
    if RECORD_START.match(start.content):
        wet = re.search(rb"(?im)^WARC-Type:[ \t]*conversion", start.content)
        return FileForm("wet" if wet else "warc", {}, "certain", "it begins with a record of a web archive")
    if _DELIMITED.search(path):
        return FileForm("csv", _columns(path), "certain", "its name says so, and the first row has the fields")
    return _text_form(start, text)


def _columns(path: str) -> Mapping[str, str]:
    return dict.fromkeys(Csv(paths=()).schema_of(path).names, "string")


def _archive_form(start: FileStart) -> FileForm:
    """Pages or texts in an archive, or the archives of a crawl."""
    members = start.members
    names = [member.name for member in members]
    if start.archive == "zip" and (
        any(name.lower().endswith(ARCHIVES) for name in names) or start.path.endswith(".wacz")
    ):
        return FileForm("warc", {}, "certain" if names else "perhaps", "it is a zip archive of WARC files")
    pages = sum(_is_page(member) for member in members)
    if pages * 2 > len(members):
        return FileForm("html", {}, "likely", f"{pages} of its first {len(members)} files are pages")
    nested = any(name.lower().endswith(".txt") for member in members for name in member.files)
    texts = [text for member in members if (text := _text_of(member))]
    if start.archive == "tar" and (nested or len(texts) * 2 > len(members)):
        seen = f"{len(texts)} of its first {len(members)} files are texts"
        if nested or sum(map(_is_prose, texts)) * 2 > len(texts):
            return FileForm("tar", {}, "likely", "its files are archives of texts" if nested else seen)
        return FileForm("tar", {}, "perhaps", f"{seen}, but much of them is no prose")
    holds = listed(names, SHOWN) if names else "no file that can be read"
    raise InputError(
        f"{start.path} is a {start.archive} archive that no source reads: it holds {holds}; unpack it, and inspect "
        "what is in it"
    )


def _is_page(member: FileMember) -> bool:
    return looks_like_html(member.start) or (PAGE.search(member.name) is not None and b"<" in member.start)


def _text_of(member: FileMember) -> str | None:
    """Plain text: no markup, no JSON, no table, no archive."""
    start = member.start
    if member.files or start.lstrip().startswith((b"<", b"{", b"[", b"%PDF-")) or RECORD_START.match(start):
        return None
    text = file_text(start, ReadTally())
    return None if text is None or _has_controls(text) or _is_table(text) else text


def _has_controls(text: str) -> bool:
    """Whether it has more control characters than any text."""
    return len(_CONTROL.findall(text)) > MOST * len(text)


def _text_form(start: FileStart, text: str) -> FileForm:
    """The same of what is JSON, HTML, a table or plain text."""
    content = start.content
    plain = start.text
    path = start.path
    is_json = _JSON.match(content) is not None
    if is_json or plain is None or _WIDE_JSON.match(plain):
        check_encoding(content, path)
    if not is_json and plain is not None and (page := _page_form(start)):
        return page
    check_rows(content, path, text)
    if start.rows:
        fields = {name: kind for row in start.rows for name, kind in field_types(row)}
        if len(start.rows) == 1 and len(content) < START:
            return FileForm("jsonl", fields, "perhaps", "it is one object of JSON")
        return FileForm("jsonl", fields, "certain", f"it begins with {counted(len(start.rows), 'object')} of JSON")
    if plain is not None and _NOTE.search(path) and not _MARKUP.match(content):  # such as a note that begins with [[
        return FileForm("text", {}, "likely", "its name says so")
    if is_json and b"{" in content[:LOOKED]:
        raise InputError(
            f"{path} has no row that can be read in its first {len(content):,} bytes: it is no JSON, longer than "
            f"these, or nested over {MAX_DEPTH} deep"
        )
    binary = plain is None or _has_controls(plain)
    if binary and (packing := next((name for mark, name in PACKINGS.items() if content.startswith(mark)), "")):
        raise InputError(
            f"{path} is compressed twice, or as it is not read here ({packing}); unpack it, and inspect what is in it"
        )
    if NO_TEXT.match(content) or plain is None or binary or _is_xml(start):
        element = f" with the first element <{start.root.name}>" if start.root and plain else ""
        raise InputError(
            f"{path} is of no form that is recognized here ({FORMS}, and those of the sources of documents): it begins "
            f"with {content[:12]!r}{element}; leave it out, or make text of it; docs/sources.md has all that is read"
        )
    if _is_table(plain):
        return FileForm("csv", _columns(path), "likely", "its first rows have the same number of fields")
    if _is_prose(plain):
        return FileForm("text", {}, "likely", "it is text, and nothing else fits")
    return FileForm("text", {}, "perhaps", "nothing else fits, but much of it is no prose")


def _is_prose(text: str) -> bool:
    """Whether it is made of words and sentences, and no program or list."""
    signs = "".join(text.split())
    letters = sum(map(str.isalpha, signs))
    sentences = len(_SENTENCE.findall(text)) * SENTENCE
    blocks = sum(line.rstrip().endswith((";", "{", "}")) for line in text.splitlines())
    return letters >= PROSE * len(signs) and sentences >= len(text) and blocks < 2 and not _PROGRAM.search(text)


def _page_form(start: FileStart) -> FileForm | None:
    name = start.root.name.lower() if start.root else ""
    if name == "html" or (start.root and _HTML_TYPE.match(start.root.doctype)):
        return FileForm("html", {}, "certain", "its first element or its document type is html")
    if name in ELEMENTS and looks_like_html(start.content):
        text = start.text or ""
        tags = len(_TAG.findall(text))
        if tags > TAGS * (1 + text.count("\n")) and not (_NOTE.search(start.path) or _MARKDOWN.search(text)):
            return FileForm("html", {}, "likely", "it begins with an element of HTML, and has more of them")
    return FileForm("html", {}, "likely", "its name says so") if PAGE.search(start.path) else None


def _is_xml(start: FileStart) -> bool:
    root = start.root
    closed = root is not None and (start.text or "").rstrip().endswith(f"{root.name}>")
    return root is not None and (closed or "xmlns" in root.attributes or root.doctype != "")


def _is_table(text: str) -> bool:
    """Whether the first rows have names of fields, and as many fields each; the last may be cut off."""
    lines = text.lstrip("\ufeff").splitlines(keepends=True)[: ROWS + 1]
    head = lines[0] if lines else ""
    mark = max(",\t;|", key=head.count)
    try:
        rows = list(islice(csv.reader(lines[:ROWS], delimiter=mark), ROWS))
    except csv.Error:
        return False
    names = rows[0] if rows else []
    return (
        len(rows) > 2
        and len(names) > 1
        and len(set(names)) == len(names)
        and all(name.strip() and len(name) < 100 and not name.endswith((".", "!", "?")) for name in names)
        and all(len(row) == len(names) for row in rows[1:-1])
    )
