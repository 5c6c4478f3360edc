"""WET archives beside fastwarc and warcio, and ready corpora as JSON lines beside Hugging Face's datasets.

The files are made of texts, cut to 4,000 characters and repeated. MB are those of uncompressed text, per CPU second,
one process.
"""

import argparse
import gzip
import json
import tempfile
from collections.abc import Iterator
from functools import partial
from itertools import cycle
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from fastwarc.warc import ArchiveIterator as FastIterator
from warcio.archiveiterator import ArchiveIterator

from benchmarks.case import Case, DisagreementError
from curation.core.protocols import Piece, ReadTally, Source
from curation.sources.corpus import Corpus
from curation.sources.jsonl import Jsonl
from curation.sources.wet import Wet

LENGTH = 4_000  # characters of a text


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--text", type=Path, required=True, help="JSON lines whose texts are taken, such as books.jsonl.gz."
    )
    parser.add_argument("--mb", type=int, default=64, help="Megabytes of text.")


def run(options: argparse.Namespace) -> Iterator[Case]:
    texts = _texts(options.text, options.mb * 1_000_000)
    amounts = {"MB": sum(len(text.encode()) for text in texts) / 1e6}
    with tempfile.TemporaryDirectory() as folder:
        wet = Path(folder, "x.warc.wet.gz")
        wet.write_bytes(b"".join(gzip.compress(_record(text.encode()), 6) for text in texts))
        for called, peer in (("fastwarc", _fastwarc), ("warcio", _warcio)):
            yield Case(
                name="wet, gzip",
                amounts=amounts,
                ours=partial(_ours, Wet(paths=()), wet),
                peer=partial(peer, wet),
                called=called,
                agree=_same,
            )
        lines = "".join(json.dumps(_dolma(number, text)) + "\n" for number, text in enumerate(texts)).encode()
        for name, content in (("dolma.jsonl", lines), ("dolma.json.gz", gzip.compress(lines, 6))):
            path = Path(folder, name)
            path.write_bytes(content)
            yield Case(
                name=f"corpus dolma, {name}",
                amounts=amounts,
                ours=partial(_ours, Corpus(paths=(), name="dolma"), path),
                peer=partial(_datasets, path, folder),
                called="datasets",
                agree=_same,
                packages=("datasets",),
            )


def _texts(file: Path, size: int) -> list[str]:
    batches = Jsonl(paths=()).read([Piece(str(file))], "benchmark", ReadTally())
    whole = [text for batch in batches for text in batch["text"].to_pylist() if text]
    parts = [text[at : at + LENGTH] for text in whole for at in range(0, len(text), LENGTH)]
    texts: list[str] = []
    for part in cycle(parts):
        if size <= 0:
            break
        texts.append(part)
        size -= len(part.encode())
    return texts


def _record(text: bytes) -> bytes:
    head = (
        "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://a.org/\r\nWARC-Date: 2024-02-20T21:00:44Z\r\n"
        "WARC-Record-ID: <urn:uuid:1>\r\nWARC-Identified-Content-Language: eng\r\nContent-Type: text/plain\r\n"
    )
    return f"{head}Content-Length: {len(text)}\r\n\r\n".encode() + text + b"\r\n\r\n"


def _dolma(number: int, text: str) -> dict[str, object]:
    metadata = {"url": f"http://a.org/{number}", "license": "CC-BY-4.0"}
    return {
        "id": str(number),
        "text": text,
        "source": "web",
        "added": "2023-01-01",
        "created": "2020-01-02T03:04:05Z",
        "metadata": metadata,
    }


def _ours(source: Source, path: Path) -> tuple[int, int]:
    """Documents and bytes of their texts, as Arrow batches with ids and dates."""
    batches = source.read([Piece(str(path), name=path.name)], "benchmark", ReadTally())
    return _counted(batch["text"] for batch in batches)


def _counted(columns: Iterator[pa.Array]) -> tuple[int, int]:
    documents = size = 0
    for texts in columns:
        documents += len(texts)
        size += pc.sum(pc.binary_length(texts)).as_py()
    return documents, size


def _fastwarc(path: Path) -> tuple[int, int]:
    texts = [record.reader.read().decode() for record in FastIterator(str(path), parse_http=False)]
    return _counted(iter([pa.array(texts, pa.large_string())]))


def _warcio(path: Path) -> tuple[int, int]:
    with path.open("rb") as stream:
        texts = [record.content_stream().read().decode() for record in ArchiveIterator(stream)]
    return _counted(iter([pa.array(texts, pa.large_string())]))


def _datasets(path: Path, folder: str) -> tuple[int, int]:
    from datasets import load_dataset

    rows = load_dataset("json", data_files=str(path), split="train", streaming=True, cache_dir=folder)
    return _counted(batch["text"].cast(pa.large_string()) for batch in rows.with_format("arrow").iter(1000))


def _same(ours: tuple[int, int], theirs: tuple[int, int]) -> str:
    if ours != theirs:
        raise DisagreementError(f"{ours} and {theirs} documents and bytes")
    return f"{ours[0]:,} documents"
