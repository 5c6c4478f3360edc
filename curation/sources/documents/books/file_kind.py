"""Recognises books of Project Gutenberg by the lines that say where the book begins, and its catalogue."""

import re

from curation.core.file_start import FileStart, Guess
from curation.sources.documents.books.catalogue import COLUMNS
from curation.sources.documents.books.gutenberg_text import HEAD, read_book

CATALOGUE = "pg_catalog.csv, from https://www.gutenberg.org/cache/epub/feeds/pg_catalog.csv"
_TITLE = re.compile(r"\W{0,20}(?:\w+[,.]? ){0,4}Project Gutenberg(?:'s|’s| E-?(?:Book|Text)s?| Edition)", re.IGNORECASE)


def recognised(start: FileStart) -> Guess | None:
    """A book, an archive of some, or the catalogue."""
    if start.text and {*start.text.partition("\n")[0].strip("\ufeff\r").split(",")} >= {*COLUMNS}:
        return _catalogue("its first line has the columns of the catalogue")
    if start.members:
        return _catalogue("its files describe books in RDF") if _is_rdf(start) else _archive(start)
    if start.text is None or start.root or start.json:
        return None
    needs = {"catalogue": CATALOGUE}
    if read_book(start.text.encode(errors="replace")).marked:
        seen = "a line says where the Project Gutenberg book begins"
        return Guess(kind="Project Gutenberg book", sure="certain", seen=seen, needs=needs)
    if _TITLE.match(start.text[:HEAD]):
        seen = "its first line names Project Gutenberg"
        return Guess(kind="Project Gutenberg book", sure="perhaps", seen=seen, needs=needs)
    return None


def _catalogue(seen: str) -> Guess:
    instead = "give it as `catalogue` of `gutenberg`, which reads the books"
    return Guess(kind="Project Gutenberg catalogue", sure="certain", seen=seen, instead=instead, gives="catalogue")


def _is_rdf(start: FileStart) -> bool:
    """Whether all files of a tar archive are RDF of Project Gutenberg."""
    return start.archive == "tar" and all(
        member.name.endswith(".rdf") and b"gutenberg.org/" in member.start for member in start.members
    )


def _archive(start: FileStart) -> Guess | None:
    named = [member.start for member in start.members if member.name.lower().endswith(".txt")]
    texts = named or [member.start for member in start.members]
    if not all(read_book(text).marked for text in texts):
        return None
    kind = f"{start.archive} archive of Project Gutenberg books"
    instead = "" if named else "name its files by the numbers of their books, as 1234.txt"
    instead = "unzip it: `gutenberg` reads files and tar archives" if start.archive == "zip" else instead
    seen = "its files say where the books begin"
    return Guess(kind=kind, sure="certain", seen=seen, needs={"catalogue": CATALOGUE}, instead=instead)
