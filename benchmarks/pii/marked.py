"""Texts of which the personal data is known: marked by people, made with it, or pages with its links."""

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding
from resiliparse.parse.html import HTMLTree
from warcio.archiveiterator import ArchiveIterator

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
SETS = ("presidio_synth_v2", "ambientmeta", "tab_en_court_cases", "echr_fr_es")
KINDS = ("email", "phone", "credit_card", "iban", "ip", "us_ssn")
_NAMES = {
    "PHONE": "phone",
    "PHONE_NUMBER": "phone",
    "EMAIL": "email",
    "EMAIL_ADDRESS": "email",
    "SSN": "us_ssn",
    "US_SSN": "us_ssn",
    "CREDIT_CARD": "credit_card",
    "IBAN_CODE": "iban",
    "IP_ADDRESS": "ip",
}
# the half by which rules were chosen, and the other
FIT = 0
JUDGE = 1


@dataclass(frozen=True)
class Marked:
    """A text, and the bytes [start, end) of its personal data by kind."""

    name: str
    text: str
    language: str
    places: tuple[tuple[str, int, int], ...]
    contacts: Mapping[str, tuple[str, ...]] | None = None  # of a page: values of its links, which need not be all
    url: str | None = None

    @property
    def half(self) -> int:
        return int(sha256(self.name.encode()).hexdigest(), 16) % 2


def read_set(name: str) -> list[Marked]:
    """The texts of one file of shared/data/pii."""
    return [_marked(row) for row in _rows(DATA / "pii" / f"{name}.jsonl.gz")]


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt") as file:
        yield from map(json.loads, file)


def _marked(row: dict[str, Any]) -> Marked:
    text = row["text"]
    places = [
        (_NAMES[one["type"]], len(text[: one["start"]].encode()), len(text[: one["end"]].encode()))
        for one in row.get("entities", [])
        if one["type"] in _NAMES
    ]
    return Marked(row["id"], text, row.get("lang") or "en", tuple(places))


def read_pages(limit: int) -> list[Marked]:
    """Main texts of the pages in shared/data/web, as resiliparse extracts them, with the contacts of their links."""
    languages = {row["record_id"]: row.get("lang") for row in _rows(DATA / "web" / "truth.jsonl.gz")}
    contacts = {row["record_id"]: row for row in _rows(DATA / "pii" / "web_contacts.jsonl.gz")}
    pages: list[Marked] = []
    for path in sorted((DATA / "web").glob("pages-*.warc.gz")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                if record.rec_type in ("response", "resource") and len(pages) < limit:
                    key = record.rec_headers["WARC-Record-ID"]
                    url = record.rec_headers["WARC-Target-URI"]
                    text = _main_text(record.content_stream().read())
                    row = contacts.get(key)
                    found = {"email": tuple(row["emails"]), "phone": tuple(row["phones"])} if row else None
                    if text.strip():
                        pages.append(Marked(key, text, languages.get(key) or "en", (), found, url))
    return pages


def _main_text(page: bytes) -> str:
    tree = HTMLTree.parse(bytes_to_str(page, detect_encoding(page) or "utf-8"))
    return str(extract_plain_text(tree, main_content=True, preserve_formatting=True, links=False))
