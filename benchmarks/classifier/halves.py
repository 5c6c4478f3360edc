"""Two halves of the test data: clean prose and raw web pages to learn from, and others to be judged by.

    prose   text/encyclopedia, books, science, speeches: by the SHA-1 of a document's id, an even first byte is `first`
    crawl   every page in web/pages-public-*, as `visible`: all its text, with menus and footers, as in the WET files of
            Common Crawl; or as `main`: what extraction leaves. Files 0, 2 and 4 are `first`, 1 and 3 are `second`

Long texts are cut at line ends into PIECE characters or more, so that length does not give the class away: MOST pieces
at most of a document of prose, spread evenly over it, and the first one of a page. Pieces of one book lie in one half.
A text of `second` whose normal form is in `first` too is left out.
"""

import hashlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from resiliparse.extract.html2text import extract_plain_text

from benchmarks.data import as_text, pages_of, read, shared
from curation.filters.language import Language
from curation.text.text_hash import text_hashes

PROSE = ("encyclopedia.jsonl.gz", "books.jsonl.gz", "science.parquet", "speeches.jsonl.gz")
FILES = {"first": (0, 2, 4), "second": (1, 3)}
PIECE = 3000
MOST = 40


class Half(NamedTuple):
    texts: pa.Array  # large_string[N]
    prose: npt.NDArray[np.bool_]  # bool[N]

    def english(self) -> "Half":
        kept = is_english(self.texts)
        return Half(self.texts.filter(kept), self.prose[np.asarray(kept)])


def is_english(texts: pa.Array) -> pa.Array:
    """bool[N]: the texts that the `language` rule set takes for English."""
    signals = Language().measure(pa.record_batch({"text": texts}))
    return pc.fill_null(pc.and_(pc.equal(signals["label"], "en"), pc.greater_equal(signals["score"], 0.65)), False)


def archives(half: str) -> list[Path]:
    return [shared("web", f"pages-public-0000{number}.warc.gz") for number in FILES[half]]


@lru_cache(maxsize=2)
def halves(crawl: str) -> tuple[Half, Half]:
    """The halves `first` and `second`; `crawl` is visible or main."""
    first = _half("first", crawl)
    second = _half("second", crawl)
    other = pc.invert(pc.is_in(text_hashes(second.texts), text_hashes(first.texts)))
    return first, Half(second.texts.filter(other), second.prose[np.asarray(other)])


def _half(name: str, crawl: str) -> Half:
    prose: list[str] = []
    for file in PROSE:
        table = read([shared("text", file)])
        for number, text in zip(table["doc_id"].to_pylist(), table["text"].to_pylist(), strict=True):
            if (hashlib.sha1(number.encode()).digest()[0] % 2 == 0) == (name == "first"):
                prose += spread(list(pieces(text)), MOST)
    pages = archives(name)
    texts = visible(pages) if crawl == "visible" else read(pages)["text"].to_pylist()
    raw = [next(pieces(text)) for text in texts if text.strip()]
    truth = np.arange(len(prose) + len(raw)) < len(prose)
    return Half(pa.array([*prose, *raw], pa.large_string()), truth)


def visible(archives: Iterable[Path]) -> Iterator[str]:
    """All the text of each page."""
    for archive in archives:
        for page in pages_of(archive):
            yield extract_plain_text(as_text(page.content), alt_texts=False, links=False)


def pieces(text: str) -> Iterator[str]:
    """The text, cut at line ends into PIECE characters or more."""
    piece = ""
    for line in text.splitlines(keepends=True):
        piece += line
        if len(piece) >= PIECE:
            yield piece
            piece = ""
    if piece.strip():
        yield piece


def spread(every: list[str], most: int) -> list[str]:
    """At most so many of them, spread evenly."""
    count = min(len(every), most)
    return [every[k * len(every) // count] for k in range(count)]
