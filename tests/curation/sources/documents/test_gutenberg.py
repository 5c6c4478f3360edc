"""Books of Project Gutenberg: what is cut, what the catalogue adds, and what may not be read."""

import atexit
import csv
import gzip
import shutil
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from curation.core.errors import InputError
from curation.core.protocols import Piece, ReadTally
from curation.sources.documents.books.gutenberg_text import decoded_book, read_book
from curation.sources.documents.gutenberg import Gutenberg
from tests.curation.sources.sample import Sample
from tests.curation.sources.tar_files import tar

COLUMNS = ("Text#", "Type", "Issued", "Title", "Language", "Authors", "Subjects", "LoCC", "Bookshelves")
HEAD = "The Project Gutenberg eBook of Emma\n\nTitle: Emma\n\nAuthor: Jane Austen\n\n"
START = "*** START OF THE PROJECT GUTENBERG EBOOK EMMA ***\n"
END = "\n*** END OF THE PROJECT GUTENBERG EBOOK EMMA ***\nUpdated editions will replace the previous one.\n"


def catalogue(path: Path, *rows: Sequence[str]) -> str:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows((COLUMNS, *rows))
    return str(path)


def row(number: int, kind: str = "Text", title: str = "Emma\nin three volumes", classes: str = "PR") -> Sequence[str]:
    return (str(number), kind, "1994-08-01", title, "en; fr", "Austen, Jane, 1775-1817; Roe, R.", "", classes, "")


def book(text: str, head: str = HEAD) -> bytes:
    return f"{head}{START}{text}{END}".encode()


def sample(texts: Sequence[str]) -> bytes:
    return tar({f"../{number}-0.txt": book(text) for number, text in enumerate(texts, 1)})


FOLDER = Path(tempfile.mkdtemp())
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
CATALOGUE = catalogue(FOLDER / "pg_catalog.csv", *(row(number) for number in range(1, 40)))
SAMPLE = Sample(sample, {"max_document_bytes": 2000}, {"catalogue": CATALOGUE})


def read(table: str, *paths: Path) -> tuple[list[dict[str, Any]], ReadTally]:
    tally = ReadTally()
    pieces = [Piece(str(path), name=path.name) for path in paths]
    batches = Gutenberg(paths=(), catalogue=table).read(pieces, "books", tally)
    return [made for batch in batches for made in batch.to_pylist()], tally


def test_a_book(tmp_path: Path) -> None:
    table = catalogue(tmp_path / "c.csv", row(158))
    (tmp_path / "pg158.txt.gz").write_bytes(gzip.compress(book("\nVolume I\r\n\r\nEmma Woodhouse, handsome.\n")))
    (made,), tally = read(table, tmp_path / "pg158.txt.gz")
    assert made["text"] == "Volume I\n\nEmma Woodhouse, handsome."
    assert (made["url"], made["declared_language"]) == ("https://www.gutenberg.org/ebooks/158", "en")
    assert (made["crawled_at"], made["licence"]) == (datetime(1994, 8, 1, tzinfo=UTC), "Public domain in the USA")
    facts = {"book": 158, "title": "Emma in three volumes", "authors": "Austen, Jane, 1775-1817; Roe, R."}
    assert made["gutenberg"] == facts
    assert (dict(tally.records), tally.faults) == ({}, [])


def test_a_book_may_tell_its_number_itself(tmp_path: Path) -> None:
    for number, head in enumerate(("July, 1997  [Etext #972]\n", "Release date: May 1, 2000 [eBook #973]\n", "1997\n")):
        (tmp_path / f"devil{number}.txt").write_bytes(book("Text.", head))
    rows, tally = read(catalogue(tmp_path / "c.csv", row(972), row(973)), *sorted(tmp_path.glob("*.txt")))
    assert [made["gutenberg"]["book"] for made in rows] == [972, 973]
    assert tally.records == {"skipped.not_a_book": 1}


def test_of_a_book_in_one_folder_the_best_file_is_taken(tmp_path: Path) -> None:
    for name in ("1/1.txt", "1/1-8.txt", "1/1-0.txt", "2/2.txt", "2/2-8.txt", "3/pg3.txt", "3/3.txt", "readme.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    listed = [Path(file.path).name for file in Gutenberg(paths=(), catalogue="").list_inputs(str(tmp_path))]
    assert listed == ["1-0.txt", "2-8.txt", "pg3.txt", "readme.txt"]


RDF = """<?xml version="1.0" encoding="utf-8"?>
<rdf:RDF xml:base="http://www.gutenberg.org/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
  xmlns:dcterms="http://purl.org/dc/terms/" xmlns:dcam="http://purl.org/dc/dcam/"
  xmlns:pgterms="http://www.gutenberg.org/2009/pgterms/">
  <pgterms:ebook rdf:about="ebooks/%d">
    <dcterms:title>Emma\nin three volumes</dcterms:title>
    <dcterms:creator><pgterms:agent><pgterms:name>Austen, Jane</pgterms:name>
      <pgterms:birthdate>1775</pgterms:birthdate><pgterms:deathdate>1817</pgterms:deathdate></pgterms:agent>
    </dcterms:creator>
    <dcterms:issued>1994-08-01</dcterms:issued>
    <dcterms:language><rdf:Description><rdf:value>en</rdf:value></rdf:Description></dcterms:language>
    <dcterms:type><rdf:Description><rdf:value>Text</rdf:value></rdf:Description></dcterms:type>
    <dcterms:subject><rdf:Description><dcam:memberOf rdf:resource="http://purl.org/dc/terms/LCC"/>
      <rdf:value>PR</rdf:value></rdf:Description></dcterms:subject>
    <dcterms:rights>%s</dcterms:rights>
  </pgterms:ebook>
</rdf:RDF>
"""
TERMS = "Copyrighted. Read the copyright notice inside this book for details."


def test_rights_and_facts_of_the_catalogue_in_rdf(tmp_path: Path) -> None:
    files = {
        "cache/epub/1/pg1.rdf": (RDF % (1, "Public domain in the USA.")).encode(),
        "cache/epub/2/pg2.rdf": (RDF % (2, TERMS)).encode(),
        "cache/epub/3/pg3.rdf": b"<rdf:RDF",
    }
    table = tmp_path / "rdf-files.tar.gz"
    table.write_bytes(gzip.compress(tar(files)))
    paths = [tmp_path / f"{number}.txt" for number in (1, 2, 3)]
    for path in paths:
        path.write_bytes(book("Text."))
    (made,), tally = read(str(table), *paths)
    assert (made["text"], made["licence"], made["declared_language"]) == ("Text.", "Public domain in the USA", "en")
    facts = {"book": 1, "title": "Emma in three volumes", "authors": "Austen, Jane, 1775-1817"}
    assert (made["gutenberg"], made["crawled_at"]) == (facts, datetime(1994, 8, 1, tzinfo=UTC))
    assert tally.records == {"skipped.copyrighted": 1, "skipped.not_in_catalogue": 1}


def test_one_book_of_the_catalogue_in_rdf_is_a_catalogue(tmp_path: Path) -> None:
    (tmp_path / "pg1.rdf").write_text(RDF % (1, "Public domain in the USA."))
    (tmp_path / "1.txt").write_bytes(book("Text."))
    assert len(read(str(tmp_path / "pg1.rdf"), tmp_path / "1.txt")[0]) == 1


def test_a_column_of_rights_counts(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    with path.open("w", newline="") as file:
        rights = ("Rights", TERMS, "Public domain in the USA.", "")
        csv.writer(file).writerows(
            [*line, said] for line, said in zip((COLUMNS, row(1), row(2), row(3)), rights, strict=True)
        )
    for number in (1, 2, 3):
        (tmp_path / f"{number}.txt").write_bytes(book("Text."))
    rows, tally = read(str(path), *(tmp_path / f"{number}.txt" for number in (1, 2, 3)))
    assert [made["licence"] for made in rows] == ["Public domain in the USA"] * 2
    assert tally.records == {"skipped.copyrighted": 1}


COPYRIGHTED = "** This is a COPYRIGHTED Project Gutenberg eBook, Details Below **\n"


@pytest.mark.parametrize(
    ("cause", "name", "entry", "content"),
    [
        ("not_text", "1.txt", row(1, "Sound"), book("a")),
        ("music", "1.txt", row(1, classes="PR; M"), book("a")),
        ("index", "1.txt", row(1, title="Index of the Project Gutenberg Works of Jane Austen"), book("a")),
        ("copyrighted", "1.txt", row(1), book("a", HEAD + COPYRIGHTED)),
        ("unmarked", "1.txt", row(1), b"Emma\n\nText."),
        ("not_in_catalogue", "2.txt", row(1), book("a")),
        ("not_a_book", "readme.txt", row(1), b"x"),
        (None, "1.txt", row(1, classes="ML"), book("a")),
    ],
)
def test_what_may_not_be_read_is_counted(
    cause: str | None, name: str, entry: Sequence[str], content: bytes, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    rows, tally = read(catalogue(tmp_path / "c.csv", entry), tmp_path / name)
    assert len(rows) == (cause is None)
    assert dict(tally.records) == ({f"skipped.{cause}": 1} if cause else {})


SMALL_PRINT = (
    "**START**THE SMALL PRINT!**FOR PUBLIC DOMAIN ETEXTS**START**\nWhy?\n*END*THE SMALL PRINT! FOR PUBLIC DOMAIN"
)


@pytest.mark.parametrize(
    "content",
    [
        "*** START OF THIS PROJECT GUTENBERG EBOOK EMMA ***\r\n\r\nText.\r\n\r\nEnd of Project Gutenberg's Emma, by A",
        "***START OF PROJECT GUTENBERG ETEXT***\nE-text prepared by A\n\nText.\n***END OF THE PROJECT GUTENBERG ETEXT",
        "*** START OF THIS PROJECT GUTENBERG EBOOK A VERY\nLONG TITLE ***\n\nProduced by A B\n\n\nText.\n",
        f"{SMALL_PRINT} ETEXTS*Ver.04.29.93*END*\nText.\nEnd of The Project Gutenberg Etext of Emma\n",
        f"{SMALL_PRINT} EBOOKS*Ver.02/11/02*END*\n\nText.\n\n\n*** END OF THE PROJECT GUTENBERG EBOOK, EMMA ***\n",
        f"{START}Text.\nEnd of Project Gutenberg's Emma\n{SMALL_PRINT} ETEXTS*Ver.04.29.93*END*\n",
        f"{START}Text.\n{' ' * 14}*** END OF THE PROJECT GUTENBERG EBOOK EMMA ***\nUpdated editions will replace it.\n",
        f"{START}Text.\n\nThe Project Gutenberg Etext of Emma\n\n**The Legal Small Print**\n{SMALL_PRINT} ETEXTS*",
        f"{START}\nAn A. and the PG Distributed Proofreading Team.\n\nNote: Project Gutenberg also has\n"
        f"  an HTML version.\n\nText.\n{END}",
        f"{START}The Project Gutenberg Etext of Emma\n(#6 in our series)\n\n***\n\nWe thank B.\n\nText.\n{END}",
        f"{START}This etext was produced from the 1908\nedition by A B\n\nSpecial thanks are due to C.\n\nText.\n{END}",
        "\ufeff*** START OF THE PROJECT GUTENBERG EBOOK 158 ***\nText.\n*** END OF THE PROJECT GUTENBERG EBOOK 158 ***",
    ],
)
def test_marks_of_all_ages(content: str) -> None:
    assert read_book(content.encode()) == ("Text.", True, False, 0)


def test_a_book_of_parts_is_whole() -> None:
    parts = f"{START}One.\nEnd of Project Gutenberg's Part One\n{'Two. ' * 9000}"
    assert read_book((parts + END).encode()).text.endswith("Two.")


@pytest.mark.parametrize(
    "line", ["SMALL PRINT! FOR COPYRIGHT PROTECTED ETEXTS", "This is a COPYRIGHTED Project Gutenberg Etext"]
)
def test_marks_of_copyright(line: str) -> None:
    assert read_book(f"**{line}**\n{START}a".encode()).copyrighted
    assert not read_book(f"{START}**{line}** as a book may say\n{END}".encode()).copyrighted


def test_a_line_of_blanks_takes_no_longer_than_others() -> None:
    assert read_book(START.encode() + b" \t" * 1_000_000 + b"\n" + b"* " * 500_000).marked


def test_encodings() -> None:
    assert decoded_book("é".encode("latin-1")) == "é"
    assert decoded_book("Character set encoding: ISO-8859-2\nł".encode("iso-8859-2")).endswith("ł")
    assert decoded_book(b"Character set encoding: punycode\r\n\x92") == "Character set encoding: punycode\n’"
    assert decoded_book(b"Character set encoding: ISO-8859-1\n\x93a\x94").endswith("“a”")
    assert decoded_book(b"Character set encoding: CP-no\r\n\xe9").endswith("é")


@pytest.mark.parametrize(
    "content",
    [b"a,b\n1,2\n", b"", gzip.compress(b"Text#," * 999)[:-5], b"\0" * 99],
    ids=["other columns", "empty", "cut short", "no text"],
)
def test_a_catalogue_that_is_none_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "pg_catalog.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=str(path)):
        Gutenberg(paths=(), catalogue=str(path)).check([])
    with pytest.raises(InputError, match="no file at"):
        Gutenberg(paths=(), catalogue=str(tmp_path / "none")).check([])


def test_a_book_without_a_text_or_with_one_that_grows_too_long_keeps_its_row(tmp_path: Path) -> None:
    (tmp_path / "1-0.txt").write_bytes(book(""))
    latin = book("").decode().replace(START, START + "é" * 900).encode("latin-1")
    (tmp_path / "2-8.txt").write_bytes(latin)
    source = Gutenberg(paths=(), catalogue=CATALOGUE, max_document_bytes=len(latin))
    pieces = [Piece(str(tmp_path / name), name=name) for name in ("1-0.txt", "2-8.txt")]
    rows = [row for batch in source.read(pieces, "books", ReadTally()) for row in batch.to_pylist()]
    assert [(row["text"], row["drop_reason"]) for row in rows] == [
        (None, "extract:no_text"),
        (None, "extract:too_many_bytes"),
    ]
