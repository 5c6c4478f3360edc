"""Fits whose assets are what they were shown, and how they become known to recipes."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.fits import Counts, ExampleFiles, Examples, Learns
from curation.fit.sample.shares import Sampled
from curation.text.kernels.hashing import hash64

KEPT = [n for n in range(4000) if n % 4 != 3]  # the texts of `inputs.numbered_shards`
SCHEMA = pa.schema([("key_hi", pa.uint64()), ("word", pa.string()), ("count", pa.int64())])


@dataclass(frozen=True, kw_only=True)
class Listed(Sampled, Learns):
    """Its asset is all text that it was given."""

    asset: ClassVar[str] = "listed.txt"
    reads: ClassVar[tuple[str, ...]] = ("text",)
    version: ClassVar[int] = 1

    def fit(self, rows: Iterator[pa.RecordBatch]) -> Mapping[str, bytes]:
        return {self.asset: " ".join(text for batch in rows for text in batch["text"].to_pylist()).encode()}


@dataclass(frozen=True, kw_only=True)
class Plain(Learns):
    """As Listed, not balanced, with a second file that has the number of documents."""

    sample_bytes: int = 1 << 20
    asset: ClassVar[str] = "plain.txt"
    reads: ClassVar[tuple[str, ...]] = ("text",)
    version: ClassVar[int] = 1

    def fit(self, rows: Iterator[pa.RecordBatch]) -> Mapping[str, bytes]:
        texts = [text for batch in rows for text in batch["text"].to_pylist()]
        return {"plain.txt": "\n".join(texts).encode(), "plain.count": str(len(texts)).encode()}


@dataclass(frozen=True, kw_only=True)
class Words(Sampled, Counts):
    """Counts words, split at spaces."""

    sample_bytes: int = 1 << 30
    asset: ClassVar[str] = "words.json"
    reads: ClassVar[tuple[str, ...]] = ("text",)
    version: ClassVar[int] = 1

    def schema(self) -> pa.Schema:
        return SCHEMA

    def count(self, rows: Iterator[pa.RecordBatch]) -> pa.Table:
        words = [word for batch in rows for text in batch["text"].to_pylist() for word in text.split()]
        hashes = hash64(pa.array(words, pa.large_string()))
        return self.merge(pa.table([hashes, words, [1] * len(words)], schema=SCHEMA))

    def merge(self, table: pa.Table) -> pa.Table:
        summed = table.group_by(["key_hi", "word"]).aggregate([("count", "sum")]).sort_by("key_hi")
        return summed.rename_columns(["key_hi", "word", "count"]).cast(SCHEMA)

    def finish(self, tables: Iterable[pa.Table]) -> Mapping[str, bytes]:
        several = [table for _ in range(2) for table in tables]  # read twice
        assert sum(table.num_rows for table in several) % 2 == 0
        assert all(table["key_hi"].is_valid().to_numpy().all() for table in several)
        rows = [row for table in several[: len(several) // 2] for row in table.to_pylist()]
        assert [row["key_hi"] for row in rows] == sorted(row["key_hi"] for row in rows)
        return {self.asset: json.dumps({row["word"]: row["count"] for row in rows}, sort_keys=True).encode()}


@dataclass(frozen=True, kw_only=True)
class Labelled(Sampled, Learns):
    """Its asset lists label, text and whether it is held out."""

    positives: ExampleFiles | None = None
    negatives: ExampleFiles | None = None
    labelled: Examples | None = None
    held_out: float = 0.0
    sample_by: str = "label"

    asset: ClassVar[str] = "labelled.json"
    reads: ClassVar[tuple[str, ...]] = ("text",)
    version: ClassVar[int] = 1

    def examples(self) -> Mapping[str, Examples]:
        if self.labelled is not None:
            return {"": self.labelled}
        options = {"positive": self.positives, "negative": self.negatives}
        return {name: Examples.of(files) for name, files in options.items() if files is not None}

    def fit(self, rows: Iterator[pa.RecordBatch]) -> Mapping[str, bytes]:
        tables = [pa.Table.from_batches([batch]) for batch in rows]
        columns = [pc.coalesce(pa.concat_tables(tables)[name]).to_pylist() for name in ("label", "text", "held_out")]
        return {self.asset: json.dumps(list(zip(*columns, strict=True))).encode()}


def write_rows(path: Path, rows: Sequence[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)
