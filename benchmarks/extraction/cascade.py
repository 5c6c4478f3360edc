"""What the cascade saves and costs: the share of pages that reach the careful parser, and the documents that are kept.

Compares three ways on the same pages: the cascade; the
careful parser on every page, with the library's full comparison; and the call that datatrove makes on every page
(favour precision, no comments, deduplicate), in this process and without its time limit. The recipe `fineweb`, without
deduplication, then judges the text of the first two.

`extraction.margins` chooses the margins. The careful parser is not run in its fast mode first: with that,
and its full mode for texts below 500 characters, 7 verdicts on 354 documents changed, and 3 with the limit at 4,000.
`judge` has no rules on the shape and repetition of lines, because the fast text breaks lines elsewhere and has captions
and link lists: even limits loosened by half lost 1.3 to 1.8 % of what should be kept (data/web, 2026-11).

CPU seconds are of this process and of the parsing process without its start. `one way only`: documents as a share of
those that the careful parser alone keeps; lost: reason in the cascade -> documents that it should have kept.
"""

import argparse
import resource
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import trafilatura
from fastwarc.warc import ArchiveIterator, WarcRecordType

import pipelines
from benchmarks.case import Figures
from curation.core.document import RAW, document_id, kept_mask
from curation.engine.apply import mapped
from curation.engine.recipe.recipe import parse
from curation.extract.sandbox.parent import close

FINEWEB_FILE = Path(pipelines.__file__).parent / "curate" / "fineweb.yaml"
RECIPE = """
version: 1
sources:
  web:
    - read: {warc: {paths: [any]}}
    - extract:
        cascade:
          first: {resiliparse: {}}
          judge:
            language: {languages: [en], min_score: 0.31}
          then: {trafilatura: {focus: precision}}
"""
CASCADE = parse(RECIPE, "benchmarks/extraction/cascade.py").sources["web"][1].components[0][1]
FINEWEB = parse(FINEWEB_FILE.read_text(), FINEWEB_FILE.name).sources["web"]
BATCH_BYTES = 16 << 20


class Batch(NamedTuple):
    """Record ids, and the RAW rows of their pages."""

    records: list[str]
    pages: pa.RecordBatch


def read_batches(archives: Iterable[Path]) -> list[Batch]:
    """Every HTML response of the archives, in batches as a source would give them."""
    batches: list[Batch] = []
    rows: list[dict[str, Any]] = []
    size = 0
    for record_id, row in _responses(archives):
        if rows and size + len(row["content"]) > BATCH_BYTES:
            batches.append(_batch(rows))
            rows = []
            size = 0
        rows.append({"record_id": record_id, **row})
        size += len(row["content"])
    return [*batches, _batch(rows)] if rows else batches


def _responses(archives: Iterable[Path]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in archives:
        for record in ArchiveIterator(str(path), record_types=WarcRecordType.response):
            kind = record.http_headers.get("Content-Type") if record.http_headers else None
            if kind is None or "html" in kind:
                record_id = record.headers["WARC-Record-ID"]
                yield (
                    record_id,
                    {
                        "doc_id": document_id("benchmark", path.name, record.stream_pos, record_id),
                        "url": record.headers.get("WARC-Target-URI"),
                        "source": "benchmark",
                        "content": record.reader.read(),
                        "content_type": kind,
                    },
                )


def _batch(rows: list[dict[str, Any]]) -> Batch:
    columns = {field.name: pa.array([row.get(field.name) for row in rows], field.type) for field in RAW}
    return Batch([row["record_id"] for row in rows], pa.RecordBatch.from_pydict(columns, schema=RAW))


def timed(extractor: Any, batches: Sequence[Batch]) -> tuple[list[pa.RecordBatch], float]:
    """The documents of every batch, and the CPU seconds of this process and of its parsing processes, once running."""
    start = _cpu(extractor, [batch.pages.slice(0, 1) for batch in batches[:1]])[1]
    documents, seconds = _cpu(extractor, [batch.pages for batch in batches])
    return documents, seconds - start


def _cpu(extractor: Any, batches: Sequence[pa.RecordBatch]) -> tuple[list[pa.RecordBatch], float]:
    close()
    before = _seconds()
    documents = [extractor.extract(pages, {}, _ignore) for pages in batches]
    close()  # only an ended process is counted
    return documents, _seconds() - before


def _seconds() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _ignore(doc_id: str, cause: str) -> None:
    """Here a page that exceeded a limit is a row without text like any other."""


def datatrove_seconds(batches: Sequence[Batch]) -> float:
    """CPU seconds of datatrove's call on every page."""
    texts = [str(content.as_py(), "utf-8", "replace") for batch in batches for content in batch.pages.column("content")]
    trafilatura.extract(texts[0])
    start = time.process_time()
    for text in texts:
        try:
            trafilatura.extract(text, favor_precision=True, include_comments=False, deduplicate=True)
        except Exception:  # datatrove skips such a page, too
            continue
    return time.process_time() - start


def run(options: argparse.Namespace) -> Iterator[Figures]:
    batches = read_batches(options.archives)
    ((name, then),) = CASCADE.then.items()
    careful = replace(then, fast=False, min_fast_characters=0)
    fast_first, cascade_seconds = timed(CASCADE, batches)
    everything, careful_seconds = timed(careful, batches)
    seconds = {"cascade": cascade_seconds, name: careful_seconds, "datatrove's call": datatrove_seconds(batches)}
    parsers = [parser for batch in fast_first for parser in batch.column("extract").field("parser").to_pylist()]
    reasons = {doc: why for batch in fast_first for doc, why in _pairs(batch)}
    kept = {"cascade": _kept(fast_first), name: _kept(everything)}
    lost = Counter(reasons[doc] or "a final filter" for doc in kept[name] - kept["cascade"])
    rows = {
        way: {
            "CPU s": spent,
            "pages/s": len(parsers) / spent,
            "cascade is faster": spent / cascade_seconds,
            "kept": len(kept[way]) if way in kept else None,
        }
        for way, spent in seconds.items()
    }
    both, different = (len(of(kept["cascade"], kept[name])) for of in (set.__and__, set.__xor__))
    notes = (
        f"{parsers.count(name)} of {len(parsers):,} pages ({parsers.count(name) / len(parsers):.1%}) reached the "
        f"careful parser; {both} documents are kept both ways, {different / max(1, len(kept[name])):.2%} one way only",
        f"lost: {dict(lost.most_common())}",
    )
    yield Figures(f"{len(parsers):,} pages", rows, notes)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("archives", nargs="+", type=Path, help="WARC files")


def _pairs(batch: pa.RecordBatch) -> list[tuple[str, str | None]]:
    return list(zip(*(batch.column(name).to_pylist() for name in ("doc_id", "drop_reason")), strict=True))


def kept_by_fineweb(batch: pa.RecordBatch) -> npt.NDArray[np.bool_]:
    """bool[N]: the documents that every filter of the recipe `fineweb` keeps, before its deduplication."""
    all_kept = np.zeros(len(batch), np.bool_)
    rows = np.flatnonzero(kept_mask(batch))
    batch = batch.take(pa.array(rows))
    for stage in takewhile(lambda stage: not stage.verb.clusters, FINEWEB[2:]):
        batch = mapped(stage.verb, stage.components, batch)
        kept = np.asarray(kept_mask(batch))
        rows = rows[kept]
        batch = batch.filter(pa.array(kept))
    all_kept[rows] = True
    return all_kept


def _kept(batches: Sequence[pa.RecordBatch]) -> set[str]:
    """doc_ids of the documents that `kept_by_fineweb` marks."""
    ids = (batch.column("doc_id").filter(pa.array(kept_by_fineweb(batch))) for batch in batches)
    return {doc_id for column in ids for doc_id in column.to_pylist()}
