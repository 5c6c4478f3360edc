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

import pipelines
from benchmarks.case import Figures, cpu_seconds
from benchmarks.data import Page, pages_of
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
    batches: list[list[tuple[str, Page]]] = []
    size = BATCH_BYTES + 1
    for path in archives:
        for page in pages_of(path):
            size += len(page.content)
            if size > BATCH_BYTES:
                batches.append([])
                size = len(page.content)
            batches[-1].append((path.name, page))
    return [_batch(pages) for pages in batches]


def _batch(pages: list[tuple[str, Page]]) -> Batch:
    rows = [
        {
            "doc_id": document_id("benchmark", file, page.at, page.record),
            "url": page.url,
            "source": "benchmark",
            "content": page.content,
            "content_type": page.content_type,
        }
        for file, page in pages
    ]
    return Batch([page.record for _, page in pages], pa.RecordBatch.from_pylist(rows, schema=RAW))


def timed(extractor: Any, batches: Sequence[Batch]) -> tuple[list[pa.RecordBatch], float]:
    """The documents of every batch, and the CPU seconds of this process and of its parsing processes, once running."""
    first = [batch.pages.slice(0, 1) for batch in batches[:1]]
    _cpu(extractor, first)  # loads models and kernels
    start = _cpu(extractor, first)[1]
    documents, seconds = _cpu(extractor, [batch.pages for batch in batches])
    return documents, seconds - start


def _cpu(extractor: Any, batches: Sequence[pa.RecordBatch]) -> tuple[list[pa.RecordBatch], float]:
    """A page that exceeded a limit is a row without text like any other."""
    close()
    before = cpu_seconds()
    documents = [extractor.extract(pages, {}, lambda *_: None) for pages in batches]
    close()  # only an ended process is counted
    return documents, cpu_seconds() - before


def joined(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    """All of them as one batch."""
    return pa.Table.from_batches(batches).combine_chunks().to_batches()[0]


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
    first, every = joined(fast_first), joined(everything)
    reached = first["extract"].field("parser").to_pylist().count(name)
    kept = {"cascade": kept_by_fineweb(first), name: kept_by_fineweb(every)}
    missed = kept[name] & ~kept["cascade"]
    reasons = Counter(
        reason or "a final filter" for reason in first["drop_reason"].filter(pa.array(missed)).to_pylist()
    )
    rows = {
        way: {
            "CPU s": spent,
            "pages/s": len(first) / spent,
            "cascade is faster": spent / cascade_seconds,
            "kept": int(kept[way].sum()) if way in kept else None,
        }
        for way, spent in seconds.items()
    }
    different = (kept["cascade"] != kept[name]).sum() / max(1, kept[name].sum())
    notes = (
        f"{reached} of {len(first):,} pages ({reached / len(first):.1%}) reached the careful parser; "
        f"{(kept['cascade'] & kept[name]).sum()} documents are kept both ways, {different:.2%} one way only",
        f"lost: {dict(reasons.most_common())}",
    )
    yield Figures(f"{len(first):,} pages", rows, notes)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("archives", nargs="+", type=Path, help="WARC files")
