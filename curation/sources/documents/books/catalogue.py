"""The catalogue of Project Gutenberg as its site has it: `pg_catalog.csv`, or the RDF files, which tell rights too.

Source: https://www.gutenberg.org/ebooks/offline_catalogs.html. `rdf-files.tar.bz2` has a file for each book.
"""

import csv
import io
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TypeAlias

from lxml import etree

from curation.core.errors import InputError
from curation.core.protocols import ReadTally
from curation.sources.tars import tar_texts

MAX_CATALOGUE = 256 << 20  # bytes of a table, or of a file; 22 MB in 2024
MAX_VALUE = 1_000  # characters
COLUMNS = ("Text#", "Type", "Issued", "Title", "Language", "Authors", "LoCC")
RIGHTS = "Rights"  # a further column, which pg_catalog.csv lacks

_ABOUT = re.compile(r"(?:.*/)?ebooks/(\d{1,7})", re.ASCII)
_NAMES = {
    "dcam": "http://purl.org/dc/dcam/",
    "dcterms": "http://purl.org/dc/terms/",
    "pgterms": "http://www.gutenberg.org/2009/pgterms/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
}
_CLASS = "http://purl.org/dc/terms/LCC"
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)

Entry: TypeAlias = dict[str, str]  # COLUMNS and RIGHTS -> value, on one line; "" where there is none


@lru_cache(maxsize=2)
def read_catalogue(path: str) -> dict[int, Entry]:
    """The books by number. Raises InputError if `path` holds no catalogue."""
    try:
        return dict(_entries(path))
    except (csv.Error, InputError) as error:
        remedy = "fetch https://www.gutenberg.org/cache/epub/feeds/pg_catalog.csv or rdf-files.tar.bz2 as `catalogue`"
        raise InputError(f"the catalogue {path} cannot be read: {error}; {remedy}") from error


def _entries(path: str) -> Iterator[tuple[int, Entry]]:
    damage = ReadTally()
    for name, content in tar_texts(path, damage, MAX_CATALOGUE, alone=True):
        if content is None or damage.faults:
            break
        if name.endswith(".rdf") or content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
            yield from _described(content)
        elif not name:
            yield from _listed(content, path)
    else:
        return
    raise InputError(f"{path} is damaged, or larger than {MAX_CATALOGUE:,} bytes")


def _listed(content: bytes, path: str) -> Iterator[tuple[int, Entry]]:
    rows = csv.DictReader(io.StringIO(content.decode("utf-8-sig", "replace"), newline=""))
    if not {*COLUMNS} <= {*(rows.fieldnames or ())}:
        raise InputError(f"{path} is damaged, or lacks one of the columns {', '.join(COLUMNS)}")
    for row in rows:
        if re.fullmatch(r"\d{1,7}", row["Text#"] or "", re.ASCII):
            yield int(row["Text#"]), {name: _value(row.get(name) or "") for name in (*COLUMNS, RIGHTS)}


def _described(content: bytes) -> Iterator[tuple[int, Entry]]:
    """The books that RDF describes; none if it is not well-formed."""
    try:
        root = etree.fromstring(content, _PARSER)
    except etree.XMLSyntaxError:
        return
    for book in root.findall("pgterms:ebook", _NAMES):
        if about := _ABOUT.fullmatch(book.get(f"{{{_NAMES['rdf']}}}about", "")):
            yield (
                int(about[1]),
                {
                    "Text#": about[1],
                    "Type": _texts(book, "dcterms:type//rdf:value"),
                    "Issued": _texts(book, "dcterms:issued"),
                    "Title": _texts(book, "dcterms:title"),
                    "Language": _texts(book, "dcterms:language//rdf:value"),
                    "Authors": _value("; ".join(map(_author, book.findall("dcterms:creator/pgterms:agent", _NAMES)))),
                    "LoCC": "; ".join(_classes(book)),
                    RIGHTS: _texts(book, "dcterms:rights"),
                },
            )


def _texts(book: etree._Element, path: str) -> str:
    return _value("; ".join(found.text or "" for found in book.findall(path, _NAMES)))


def _author(agent: etree._Element) -> str:
    """As the table has it: `Austen, Jane, 1775-1817`."""
    name, born, died = (_texts(agent, f"pgterms:{part}") for part in ("name", "birthdate", "deathdate"))
    return f"{name}, {born}-{died}" if born or died else name


def _classes(book: etree._Element) -> Iterator[str]:
    for subject in book.findall("dcterms:subject/rdf:Description", _NAMES):
        member = subject.find("dcam:memberOf", _NAMES)
        if member is not None and member.get(f"{{{_NAMES['rdf']}}}resource") == _CLASS:
            yield _texts(subject, "rdf:value")


def _value(text: str) -> str:
    return " ".join(text.split())[:MAX_VALUE]
