"""The input of all runs: some hundred pages as archives, and what recipes need beside them, made of the same pages.

The files are made without winnow's readers and extractors, so that a change of these never changes the input.
"""

import gzip
import hashlib
import html
import json
import re
import sysconfig
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from warcio.archiveiterator import ArchiveIterator

from demo.crawl import make_crawl

PACKAGES = ("python", "numpy", "pyarrow")  # whose documentation is crawled
PAGES = 400  # HTTP responses, of the crawl or of the archives that are named
PARTS = 3  # archives
CODE = ("json", "email", "html", "logging")  # packages of the standard library whose sources are read as code
LICENCES = ("CC-BY-4.0", "MIT", "CC0-1.0", "GPL-3.0-only", "CC-BY-NC-4.0", "unheard-of", None)
ENGLISH = ("general", "maths", "common_crawl", "c4", "wikipedia", "books", "arxiv", "stackexchange")
COPIED = 9  # each so manieth text stands in the next source too
VECTOR = 16  # dimensions of the made word vectors
WORDS = 2_000  # that have vectors
GRADES = 1, 3, 5
QUESTION = 40  # words

_HIDDEN = re.compile(r"<(script|style|head)\b.*?</\1>", re.DOTALL | re.IGNORECASE)
_BLOCK = re.compile(r"</?(?:p|div|h[1-6]|li|ul|ol|pre|tr|table|section|article|br|dt|dd)\b[^>]*>", re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")
_LANGUAGE = re.compile(r"<html[^>]*\blang=[\"']?([a-z]{2})", re.IGNORECASE)

Row = dict[str, Any]


def make_inputs(folder: Path, archives: Sequence[Path]) -> dict[str, str]:
    """Writes the input files into `folder`, which must not exist, and returns the SHA-256 of each by its name.

    `archives` are gzipped WARC files that are cut to PAGES responses together; without any, the demo crawl is made.
    """
    folder.mkdir(parents=True)
    if not archives:
        crawl = folder / "_crawl"
        archives = make_crawl(crawl, packages=PACKAGES, projects=False, archives=PARTS, max_requests=PAGES, processes=1)
    for number, archive in enumerate(archives):
        (folder / f"web-{number}.warc.gz").write_bytes(_beginning(archive, PAGES // len(archives)))
    rows = [row for file in sorted(folder.glob("web-*")) for row in _rows(file)]
    for name, own in _sources(rows).items():
        _write_lines(folder / f"{name}.jsonl", own)
    _write_assets(folder, rows)
    return {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(folder.iterdir()) if file.is_file()
    }


def _beginning(archive: Path, responses: int) -> bytes:
    """The archive up to so many responses, as it is: each of its records is a gzip member."""
    with archive.open("rb") as stream:
        records = ArchiveIterator(stream)
        seen = 0
        for record in records:
            seen += record.rec_type == "response"
            if seen > responses:
                return archive.read_bytes()[: records.get_record_offset()]
    return archive.read_bytes()


def _rows(archive: Path) -> Iterator[Row]:
    """A row for each page with text: `id`, `url`, `text`, `lang`, `licence`."""
    with archive.open("rb") as stream:
        for record in ArchiveIterator(stream):
            if record.rec_type != "response" or record.http_headers.get_header("Content-Encoding"):
                continue  # warcio and the module brotli disagree
            markup = record.content_stream().read().decode("utf-8", "replace")
            text = _visible(markup)
            if len(text) < 200:
                continue
            language = _LANGUAGE.search(markup)
            number = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4])
            yield {
                "id": record.rec_headers.get_header("WARC-Record-ID"),
                "url": record.rec_headers.get_header("WARC-Target-URI"),
                "text": text,
                "lang": language[1].lower() if language else "en",
                "licence": LICENCES[number % len(LICENCES)],
            }


def _visible(markup: str) -> str:
    """The text between tags, a line for each block."""
    blocks = _BLOCK.sub("\n", _HIDDEN.sub("", markup))
    lines = (" ".join(line.split()) for line in html.unescape(_TAG.sub("", blocks)).splitlines())
    return "\n".join(line for line in lines if line)


def _sources(rows: Sequence[Row]) -> Mapping[str, Sequence[Row]]:
    """The rows of each source of mixtures; English pages are dealt out, some of them to two sources."""
    dealt: dict[str, list[Row]] = {name: [] for name in ENGLISH}
    for number, row in enumerate(row for row in rows if row["lang"] == "en"):
        dealt[ENGLISH[number % len(ENGLISH)]].append(row)
        if number % COPIED == 0:
            dealt[ENGLISH[(number + 1) % len(ENGLISH)]].append(row)
    code = list(_code())
    others = [row for row in rows if row["lang"] != "en"]
    return {**dealt, "code": code, "github": code, "multilingual": others}


def _code() -> Iterator[Row]:
    library = Path(sysconfig.get_path("stdlib"))
    for file in sorted(file for name in CODE for file in (library / name).glob("*.py")):
        text = file.read_text("utf-8")
        yield {"id": file.name, "path": f"{file.parent.name}/{file.name}", "text": text, "licence": "PSF-2.0"}


def _write_lines(file: Path, rows: Iterable[Row]) -> None:
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def _write_assets(folder: Path, rows: Sequence[Row]) -> None:
    """Good examples, graded texts, word vectors, questions, and a table of documents."""
    longest = sorted((row for row in rows if row["lang"] == "en"), key=lambda row: -len(row["text"]))
    _write_lines(folder / "positives.jsonl", longest[: len(longest) // 3])
    texts = [row["text"] for row in rows]
    grades = [None if number % 7 == 3 else GRADES[len(text) // 500 % len(GRADES)] for number, text in enumerate(texts)]
    pq.write_table(pa.table({"text": texts, "score": pa.array(grades, pa.int64())}), folder / "scores.parquet")
    pq.write_table(pa.Table.from_pylist(list(rows)), folder / "documents.parquet")
    words = sorted({word for text in texts for word in re.findall("[a-z]{3,}", text.lower())})[:WORDS]
    draws = np.random.default_rng(0).standard_normal((len(words), VECTOR)).astype(np.float32)
    lines = (f"{word} {' '.join(f'{value:.5f}' for value in row)}" for word, row in zip(words, draws, strict=True))
    (folder / "vectors.vec").write_text(f"{len(words)} {VECTOR}\n" + "\n".join(lines) + "\n")
    questions = ({"question": _middle(row["text"]), "answer": "yes"} for row in longest[::5])
    (folder / "questions.jsonl.gz").write_bytes(
        gzip.compress("".join(json.dumps(question) + "\n" for question in questions).encode(), mtime=0)
    )


def _middle(text: str) -> str:
    words = text.split()
    return " ".join(words[len(words) // 2 :][:QUESTION])
