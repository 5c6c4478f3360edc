"""The texts on both sides: clean prose to fit on, clean prose to judge by, and pages that a classifier may learn from.

Documents of text/ are split by the SHA-1 of their id, as in `benchmarks/classifier/halves.py`: an even first byte is
`first`, on which the perplexity model and the classifiers are fitted, and the others are held out. Whatever is held out
is English by the `language` rule set. Of a long document MOST pieces are read, spread evenly over it and put together,
so that a book counts as one document and not as half of a kind.
"""

import hashlib
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.classifier.halves import FILES, Half, halves, is_english, pieces, spread, visible
from benchmarks.classifier.halves import archives as archives_of
from benchmarks.data import read, shared

KINDS = (
    "books.jsonl.gz",
    "encyclopedia.jsonl.gz",
    "science.parquet",
    "speeches.jsonl.gz",
    "qa.jsonl.gz",
    "docs.jsonl.zst",
)
MOST = 10  # pieces of a held-out document, of 3,000 characters or more each


def write_heldout(folder: Path, *, most: int = MOST, documents: int | None = None) -> list[Path]:
    """A file per kind of clean text that nothing is fitted on: `most` pieces of a document, and so many documents,
    those whose ids have the smallest SHA-1."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name in KINDS:
        table = read([shared("text", name)])
        table = table.filter(is_english(table["text"].combine_chunks()))
        digests = {number: hashlib.sha1(number.encode()).digest() for number in table["doc_id"].to_pylist()}
        second = sorted((number for number in digests if digests[number][0] % 2), key=lambda number: digests[number])
        table = table.filter(pc.is_in(table["doc_id"], pa.array(second[:documents])))
        cut = ["".join(spread(list(pieces(text)), most)) for text in table["text"].to_pylist()]
        files.append(write(folder / f"{name.partition('.')[0]}.jsonl", cut, table["doc_id"].to_pylist()))
    return files


def write_examples(folder: Path) -> dict[str, Path]:
    """`prose` of the first half, and English pages of each half of the crawl, in main text."""
    folder.mkdir(parents=True, exist_ok=True)
    first, second = (half.english() for half in halves("main"))
    chosen: dict[str, pa.Array] = {"prose": _of(first, prose=True)}
    chosen |= {"first": _of(first, prose=False), "second": _of(second, prose=False)}
    return {name: write(folder / f"{name}.jsonl", texts.to_pylist()) for name, texts in chosen.items()}


def write_visible(file: Path) -> Path:
    """All visible text of every page that is English by it, as JSON lines."""
    file.parent.mkdir(parents=True, exist_ok=True)
    texts = pa.array(visible(archives()), pa.large_string())
    return write(file, texts.filter(is_english(texts)).to_pylist())


def archives() -> list[Path]:
    return [path for half in FILES for path in archives_of(half)]


def write(file: Path, texts: list[str], ids: list[str] | None = None) -> Path:
    rows = [{"text": text} for text in texts]
    for row, number in zip(rows, ids or (), strict=False):
        row["doc_id"] = number
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return file


def _of(half: Half, *, prose: bool) -> pa.Array:
    return half.texts.filter(pa.array(half.prose == prose))
