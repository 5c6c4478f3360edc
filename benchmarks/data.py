"""The texts that benchmarks read: files that are named, the test data beside this checkout, or seeded ones."""

import argparse
import gzip
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from fastwarc.warc import ArchiveIterator, WarcRecordType
from resiliparse.parse.encoding import bytes_to_str, detect_encoding

from benchmarks.case import AbsentError
from curation.core.document import kept_mask
from curation.core.errors import InputError
from curation.core.input_files import list_files
from curation.core.protocols import ReadTally, Source
from curation.extract.resiliparse import Resiliparse
from curation.sources.jsonl import Jsonl
from curation.sources.parquet import Parquet
from curation.sources.warc import Warc

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
COLUMNS = ["doc_id", "url", "origin", "text"]
DEFAULT = ("web/pages*.warc.gz", "text/*")
BATCH_ROWS = 1000
_SOURCES: dict[str, type] = {".parquet": Parquet, ".warc": Warc, ".jsonl": Jsonl}


class Page(NamedTuple):
    """An HTML response of an archive; `at` is its offset there."""

    record: str
    url: str
    content_type: str | None
    at: int
    content: bytes


def shared(*parts: str) -> Path:
    """A file or pattern of the test data. Raises AbsentError if there is none beside this checkout."""
    if not SHARED.is_dir():
        raise AbsentError(f"no test data at {SHARED}; name files where the benchmark takes some")
    return SHARED.joinpath(*parts)


def default_paths() -> tuple[str, ...]:
    return tuple(str(shared(pattern)) for pattern in DEFAULT)


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The rows of gzipped JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def pages_of(archive: Path) -> Iterator[Page]:
    """Every HTML response of an archive, also those that a source would leave out."""
    for record in ArchiveIterator(str(archive), record_types=WarcRecordType.response):
        kind = record.http_headers.get("Content-Type") if record.http_headers else None
        if kind is None or "html" in kind:
            headers = record.headers
            content = record.reader.read()
            yield Page(headers["WARC-Record-ID"], headers.get("WARC-Target-URI"), kind, record.stream_pos, content)


def as_text(page: bytes) -> str:
    """The markup of a page in the encoding that Resiliparse finds."""
    return str(bytes_to_str(page, detect_encoding(page) or "utf-8"))


def read(patterns: Sequence[str | Path], documents: int | None = None) -> pa.Table:
    """COLUMNS of every document with text, in the order of the files, pages of archives through our extractor;
    `documents` of them spread evenly over all."""
    batches = [batch.select(COLUMNS) for pattern in patterns for batch in _batches(str(pattern))]
    if not batches:
        raise InputError(f"no document with text in {', '.join(map(str, patterns))}")
    table = pa.Table.from_batches(batches).combine_chunks()
    if documents is None or documents >= len(table):
        return table
    return table.take([row * len(table) // documents for row in range(documents)])


def _batches(pattern: str) -> Iterator[pa.RecordBatch]:
    for file in list_files(pattern):
        source = _source(file.path)
        for unit in source.split([file], group_bytes=1, split_bytes=1 << 40):
            for batch in source.read(unit, "parity", ReadTally()):
                if source.yields == "html":
                    batch = Resiliparse().extract(batch, {}, lambda *_: None)
                yield batch.filter(pc.and_(kept_mask(batch), pc.is_valid(batch.column("text"))))


def _source(path: str) -> Source:
    for suffix, source in _SOURCES.items():
        if suffix in path.rpartition("/")[2]:
            reader: Source = source(paths=(path,))
            return reader
    raise InputError(f"{path}: expected .warc, .jsonl or .parquet in the name (also with .gz or .zst)")


def texts_in(patterns: Sequence[str | Path], documents: int | None = None) -> pa.Array:
    """large_string[N]"""
    return read(patterns, documents)["text"].combine_chunks()


def seeded_texts(documents: int, seed: int) -> Iterator[str]:
    """Texts of about 5 kB in paragraphs and lines, their words drawn as unevenly as those of a language."""
    draw = random.Random(seed)
    letters = "etaoinshrdlucmfwypvbgk"
    words = ["".join(draw.choices(letters, k=1 + min(rank // 20, draw.randint(1, 9)))) for rank in range(20_000)]
    weights = [1 / (rank + 2) for rank in range(len(words))]
    for _ in range(documents):
        drawn = iter(draw.choices(words, weights, k=draw.randint(100, 1700)))
        lines: list[str] = []
        while line := [word for word, _ in zip(drawn, range(draw.randint(5, 60)), strict=False)]:
            lines.append(" ".join(line) + draw.choice([".\n", ".\n\n", "\n"]))
        yield "".join(lines)


def add_text_options(parser: argparse.ArgumentParser) -> None:
    """Which texts are timed, and against which datatrove."""
    parser.add_argument("files", nargs="*", help=".warc, .jsonl or .parquet, also .gz and .zst; globs")
    parser.add_argument("--shared", action="store_true", help="the test data beside this checkout")
    parser.add_argument("--documents", type=int, default=2000, help="seeded texts, if no files are given")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--datatrove", type=Path, metavar="PYTHON", help="python of an environment with datatrove")


def chosen_texts(options: argparse.Namespace) -> pa.Array:
    """large_string[N]: what the options name, without blank texts."""
    files = options.files or (default_paths() if options.shared else ())
    texts = texts_in(files) if files else pa.array(seeded_texts(options.documents, options.seed), pa.large_string())
    return not_blank(texts)


def not_blank(texts: pa.Array) -> pa.Array:
    return texts.filter(pc.match_substring_regex(texts, r"\S"))


def single_lines(texts: pa.Array) -> list[str]:
    """Each text as one line, as python-fasttext reads it."""
    return [text.replace("\n", " ") + "\n" for text in texts.to_pylist()]


def batches_of(texts: pa.Array) -> list[pa.RecordBatch]:
    return list(pa.table({"text": texts}).to_batches(max_chunksize=BATCH_ROWS))


def amounts(texts: pa.Array) -> dict[str, float]:
    """What a round over the texts works on."""
    return {"MB": megabytes_of(texts), "documents": len(texts)}


def megabytes_of(texts: pa.Array) -> float:
    """10^6 bytes of UTF-8."""
    return float(pc.sum(pc.binary_length(texts)).as_py()) / 1e6


def spread_over(texts: pa.Array, megabytes: float) -> pa.Array:
    """About as much text as stated, of documents spread evenly over all."""
    step = max(1, round(megabytes_of(texts) / megabytes))
    return texts.take(pa.array(range(step // 2, len(texts), step), pa.int64()))
