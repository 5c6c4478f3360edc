"""Two halves of the test data: clean prose and raw web pages to learn from, and others to be judged by.

    prose   text/encyclopedia, books, science, speeches: by the SHA-1 of a document's id, an even first byte is `first`
    crawl   every page in web/pages-public-*, as `visible`: all its text, with menus and footers, as in the WET files of
            Common Crawl; or as `main`: what extraction leaves. Files 0, 2 and 4 are `first`, 1 and 3 are `second`

Long texts are cut at line ends into PIECE characters or more, so that length does not give the class away: MOST pieces
at most of a document of prose, spread evenly over it, and the first one of a page. Pieces of one book lie in one half.
A text of `second` whose normal form is in `first` too is left out.
"""

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding
from warcio.archiveiterator import ArchiveIterator

from benchmarks.data import SHARED, read
from curation.core.errors import InputError
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
        """The documents that the `language` rule set takes for English."""
        signals = Language().measure(pa.record_batch({"text": self.texts}))
        kept = pc.fill_null(pc.and_(pc.equal(signals["label"], "en"), pc.greater_equal(signals["score"], 0.65)), False)
        return Half(self.texts.filter(kept), self.prose[np.asarray(kept)])


@lru_cache(maxsize=2)
def halves(crawl: str) -> tuple[Half, Half]:
    """The halves `first` and `second`; `crawl` is visible or main. Raises InputError if the test data is missing."""
    if not SHARED.is_dir():
        raise InputError(f"there is no test data at {SHARED}")
    first = _half("first", crawl)
    second = _half("second", crawl)
    other = pc.invert(pc.is_in(text_hashes(second.texts), text_hashes(first.texts)))
    return first, Half(second.texts.filter(other), second.prose[np.asarray(other)])


def _half(name: str, crawl: str) -> Half:
    prose: list[str] = []
    for file in PROSE:
        table = read([str(SHARED / "text" / file)], None)
        for number, text in zip(table["doc_id"].to_pylist(), table["text"].to_pylist(), strict=True):
            if (hashlib.sha1(number.encode()).digest()[0] % 2 == 0) == (name == "first"):
                prose += spread(list(pieces(text)), MOST)
    pages = [str(SHARED / "web" / f"pages-public-0000{number}.warc.gz") for number in FILES[name]]
    texts = visible(pages) if crawl == "visible" else read(pages, None)["text"].to_pylist()
    raw = [next(pieces(text)) for text in texts if text.strip()]
    truth = np.arange(len(prose) + len(raw)) < len(prose)
    return Half(pa.array([*prose, *raw], pa.large_string()), truth)


def visible(archives: list[str]) -> Iterator[str]:
    """All the text of each page."""
    for archive in archives:
        with Path(archive).open("rb") as file:
            for record in ArchiveIterator(file):
                headers = record.http_headers
                if record.rec_type == "response" and "html" in (headers.get_header("content-type") or ""):
                    page = record.content_stream().read()
                    yield extract_plain_text(bytes_to_str(page, detect_encoding(page)), alt_texts=False, links=False)


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
