"""The judged pages of an archive: their language and type, people's main text, and which of them have none.

A page is `good` or `poor` by its extracted text, beside a truth of the kinds `full_text` and `reference_extraction` by
F1, beside `segments` by the F1 of the strings found. It is `junk` if it has no main text: LABELS says so of pages
without such a truth, judged by the beginning, the middle and the longest line of each (forms, log-in pages, search
results, lists of links or offers, error pages, pages of scripts). Pages that LABELS calls `text` have some but no
truth, and count among what is kept. All others, doubtful ones among them, are not judged.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.data import rows_of
from benchmarks.extraction.extractors import TRUTH_KINDS, score

LABELS = Path(__file__).with_name("labels.json")  # record id -> junk or text
GOOD = 0.7  # F1 from which an extracted text is good
JUNK = "junk"
TEXT = "text"
NONE = "none"  # language or page type that nobody stated


@dataclass(frozen=True)
class Page:
    """`truth` is its row of the truth file, {} for none; `label` JUNK, TEXT or "" for none."""

    record: str
    language: str
    type: str
    truth: Mapping[str, Any]
    label: str

    def f1(self, text: str) -> float | None:
        """Of the words, or of the strings that must and must not appear; None without a truth of these kinds."""
        if self.truth.get("truth_kind") in TRUTH_KINDS and self.truth["text"]:
            return score(text, self.truth["text"]).f1
        if self.truth.get("truth_kind") == "segments" and self.truth.get("with"):
            wanted = self.truth["with"]
            unwanted = self.truth.get("without") or ()
            found = sum(string in text for string in wanted)
            leaked = sum(string in text for string in unwanted)
            return 2 * found / (len(wanted) + found + leaked)
        return None

    def good(self, text: str) -> bool:
        f1 = self.f1(text)
        return f1 is not None and f1 >= GOOD

    def judged(self) -> bool:
        return bool(self.label) or self.f1("") is not None


def read_pages(data: Path, archives: Sequence[str]) -> dict[str, Page]:
    """Record id -> page, of archives by file name, in the folder of `pages.jsonl.gz` and `truth.jsonl.gz`."""
    truth = {row["record_id"]: row for row in rows_of(data / "truth.jsonl.gz")}
    labels = json.loads(LABELS.read_text())
    rows = (row for row in rows_of(data / "pages.jsonl.gz") if row["warc"] in archives)
    return {row["record_id"]: _page(row, truth.get(row["record_id"], {}), labels) for row in rows}


def _page(row: Mapping[str, Any], truth: Mapping[str, Any], labels: Mapping[str, str]) -> Page:
    language = truth.get("lang") or row["lang"] or (row["html_lang"] or NONE).partition("-")[0].lower()
    return Page(row["record_id"], language, row["page_type"] or NONE, truth, labels.get(row["record_id"], ""))
