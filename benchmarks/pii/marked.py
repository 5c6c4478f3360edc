"""Texts of which the personal data is known: marked by people, made with it, or pages with its links."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree

from benchmarks.data import as_text, pages_of, rows_of, shared

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
    return [_marked(row) for row in rows_of(shared("pii", f"{name}.jsonl.gz"))]


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
    languages = {row["record_id"]: row.get("lang") for row in rows_of(shared("web", "truth.jsonl.gz"))}
    contacts = {row["record_id"]: row for row in rows_of(shared("pii", "web_contacts.jsonl.gz"))}
    marked: list[Marked] = []
    for page in (page for path in sorted(shared("web").glob("pages-*.warc.gz")) for page in pages_of(path)):
        if len(marked) == limit:
            break
        tree = HTMLTree.parse(as_text(page.content))
        text = str(extract_plain_text(tree, main_content=True, preserve_formatting=True, links=False))
        row = contacts.get(page.record)
        found = {"email": tuple(row["emails"]), "phone": tuple(row["phones"])} if row else None
        if text.strip():
            marked.append(Marked(page.record, text, languages.get(page.record) or "en", (), found, page.url))
    return marked
