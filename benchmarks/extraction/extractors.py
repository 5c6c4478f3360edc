"""How well and how fast the extractors find a page's main text, on real pages whose main text people have marked.

    python -m benchmarks extraction.extractors ARCHIVES… --truth TRUTH.jsonl.gz [--fit ARCHIVES…] [--baseline FILE]

A text is a bag of words, in which each Chinese, Japanese or Korean character is a word. Precision, recall and F1
compare the bag of a page with the bag of its truth; a row shows their means over pages. Truths of the kinds `full_text`
and `reference_extraction` count. `segments`, strings that must or must not appear, are counted apart. TRUTH has a line
per page with `record_id`, `dataset`, `lang`, `truth_kind` and `text`, or `with` and `without`. `--baseline` is a JSON
file of published figures: `rows` with `dataset`, `extractor` and `mean_f1` (for segments, `f1`).

With `--fit`, `learnt` is fitted on those archives, with trafilatura as the only teacher, and judged beside the others;
pages of a host that is among theirs are left out of every table. `learnt, articles` learns from their pages of the type
`article` alone. FineWeb's verdicts are those of the recipe's filters on a text, beside those on the page's truth.

Speed is per CPU second over all pages of the archives, including the parsing process but not its start.
"""

import argparse
import json
import re
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import urlsplit

import pyarrow as pa

from benchmarks import case
from benchmarks.data import rows_of
from benchmarks.extraction import cascade
from curation.core.document import DOCUMENT
from curation.extract.etrafilatura import Etrafilatura
from curation.extract.learnt import Learnt, text_of
from curation.extract.resiliparse import Resiliparse
from curation.extract.student.student_file import load
from curation.extract.trafilatura import Trafilatura
from curation.fit.extractor import Extractor

WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
TRUTH_KINDS = ("full_text", "reference_extraction")
SMALLEST = 5  # pages of a language, for a row of its own
Figures: TypeAlias = dict[str, dict[str, float]]

EXTRACTORS: dict[str, Any] = {
    "resiliparse": Resiliparse(),
    "resiliparse, all text": Resiliparse(main_content=False),
    "trafilatura": Trafilatura(),
    "trafilatura, precision": Trafilatura(focus="precision"),
    "trafilatura, fast": Trafilatura(fast=True),
    "trafilatura, precision, fast first": Trafilatura(focus="precision", fast=True, min_fast_characters=500),
}
if find_spec("etrafilatura"):
    EXTRACTORS |= {
        "etrafilatura": Etrafilatura(),
        "etrafilatura, precision": Etrafilatura(focus="precision"),
        "etrafilatura, recall": Etrafilatura(focus="recall"),
        "etrafilatura, fast": Etrafilatura(fast=True),
    }
SAME = {"resiliparse": "resiliparse_main", "resiliparse, all text": "resiliparse_all", "trafilatura": "trafilatura"}


class Scores(NamedTuple):
    """Of one page's words, in [0, 1]; two texts without words score 1."""

    precision: float
    recall: float
    f1: float


def score(text: str, truth: str) -> Scores:
    words, true_words = (Counter(WORD.findall(side.lower())) for side in (text, truth))
    both = (words & true_words).total()
    if not words and not true_words:
        return Scores(1.0, 1.0, 1.0)
    precision = both / max(1, words.total())
    recall = both / max(1, true_words.total())
    return Scores(precision, recall, 2 * both / (words + true_words).total())


def grouped(
    truth: Sequence[Mapping[str, Any]],
    texts: Mapping[str, Mapping[str, str]],
    group: Callable[[Mapping[str, Any]], str],
) -> dict[str, Figures]:
    """Group -> extractor -> mean scores over the group's pages. `texts` is extractor -> record id -> text."""
    pages: dict[str, dict[str, list[Scores]]] = defaultdict(lambda: defaultdict(list))
    for row in truth:
        if row["truth_kind"] in TRUTH_KINDS:
            for extractor, by_id in texts.items():
                if row["record_id"] in by_id:
                    pages[group(row)][extractor].append(score(by_id[row["record_id"]], row["text"]))
    return {
        name: {extractor: {"pages": len(scores), **_means(scores)} for extractor, scores in by_extractor.items()}
        for name, by_extractor in sorted(pages.items())
    }


def _means(scores: Sequence[Scores]) -> dict[str, float]:
    return {name: fmean(column) for name, column in zip(Scores._fields, zip(*scores, strict=True), strict=True)}


def segments(truth: Sequence[Mapping[str, Any]], texts: Mapping[str, Mapping[str, str]]) -> dict[str, Figures]:
    """Data set -> extractor -> how many strings that must appear were found, and how many that must not leaked."""
    rows = [row for row in truth if row["truth_kind"] == "segments"]
    figures: dict[str, Figures] = {}
    for dataset in sorted({row["dataset"] for row in rows if row.get("with")}):
        for extractor, by_id in texts.items():
            pages = [(by_id[r["record_id"]], r) for r in rows if r["dataset"] == dataset and r["record_id"] in by_id]
            counts = {
                "wanted": sum(len(row.get("with") or ()) for _, row in pages),
                "found": sum(string in text for text, row in pages for string in row.get("with") or ()),
                "unwanted": sum(len(row.get("without") or ()) for _, row in pages),
                "leaked": sum(string in text for text, row in pages for string in row.get("without") or ()),
            }
            precision = counts["found"] / max(1, counts["found"] + counts["leaked"])
            recall = counts["found"] / max(1, counts["wanted"])
            f1 = 2 * precision * recall / max(1e-9, precision + recall)
            figures.setdefault(dataset, {})[extractor] = {**counts, "precision": precision, "recall": recall, "f1": f1}
    return figures


def baseline(path: Path | None) -> dict[tuple[str, str], float]:
    """(data set, extractor as named there) -> F1."""
    rows = json.loads(path.read_text())["rows"] if path else []
    return {(row["dataset"], row["extractor"]): row.get("mean_f1", row.get("f1")) for row in rows}


def fitted(
    fit: Extractor, batches: Sequence[cascade.Batch], folder: Path, wanted: Collection[str] | None = None
) -> Learnt:
    """Learnt from every page of the batches, or from those with a record id among `wanted`."""
    rows = [fit.look(_of(batch, wanted)) for batch in batches]
    file = folder / f"{len(list(folder.iterdir()))}.bin"
    file.write_bytes(fit.fit(iter(rows))[fit.asset])
    return Learnt(model=str(file))


def _of(batch: cascade.Batch, wanted: Collection[str] | None) -> pa.RecordBatch:
    if wanted is None:
        return batch.pages
    return batch.pages.filter(pa.array([record in wanted for record in batch.records]))


def verdicts(truth: Sequence[Mapping[str, Any]], texts: Mapping[str, Mapping[str, str]]) -> Figures:
    """Extractor -> how many of its texts FineWeb's filters judge otherwise than the truth."""
    rows = [row for row in truth if row["truth_kind"] in TRUTH_KINDS]
    right = kept_of(rows, [row["text"] for row in rows])
    found: Figures = {}
    for extractor, by_id in texts.items():
        kept = kept_of(rows, [by_id[row["record_id"]] for row in rows])
        lost, won = int((right & ~kept).sum()), int((kept & ~right).sum())
        found[extractor] = {"kept of truth": int(right.sum()), "lost": lost, "won": won, "errors": lost + won}
    return found


def kept_of(rows: Sequence[Mapping[str, Any]], texts: Sequence[str]) -> Any:
    """bool[N]"""
    documents = [
        {"doc_id": row["record_id"], "url": row["url"], "source": "benchmark", "text": text}
        for row, text in zip(rows, texts, strict=True)
    ]
    return cascade.kept_by_fineweb(pa.RecordBatch.from_pylist(documents, schema=DOCUMENT))


def kernel_ms(learnt: Learnt, batches: Sequence[cascade.Batch]) -> float:
    """CPU milliseconds a page from UTF-8 markup to text."""
    pages = [content for batch in batches for content in batch.pages.column("content").to_pylist()]
    kinds = [kind for batch in batches for kind in batch.pages.column("content_type").to_pylist()]
    markups = [learnt.prepare(page or b"", kind).markup for page, kind in zip(pages, kinds, strict=True)]
    student = load(learnt.model)
    start = time.process_time()
    for markup in markups:
        if markup is not None:
            text_of(learnt.scan(markup), student)
    return 1e3 * (time.process_time() - start) / len(markups)


def host_of(url: str | None) -> str:
    return urlsplit(url or "").hostname or ""


def table(title: str, found: Mapping[str, Figures], others: Mapping[tuple[str, str], float]) -> case.Figures:
    rows = {}
    for name, by_extractor in found.items():
        for extractor, row in by_extractor.items():
            published = others.get((name, SAME.get(extractor, "")))
            rows[f"{name}: {extractor}"] = dict(row) | ({} if published is None else {"published F1": published})
    return case.Figures(title, rows)


def run(options: argparse.Namespace) -> Iterator[case.Figures]:
    truth = rows_of(options.truth)
    batches = cascade.read_batches(options.archives)
    extractors = dict(EXTRACTORS)
    with tempfile.TemporaryDirectory() as folder:
        rows = truth
        notes: tuple[str, ...] = ()
        if options.fit:
            lessons = cascade.read_batches(options.fit)
            hosts = {host_of(url) for batch in lessons for url in batch.pages.column("url").to_pylist()}
            rows = [row for row in truth if host_of(row["url"]) not in hosts]
            articles = {row["record_id"] for row in truth if row.get("page_type") == "article"}
            fit = Extractor(teacher={"trafilatura": Trafilatura()})
            extractors |= {
                "learnt": fitted(fit, lessons, Path(folder)),
                "learnt, articles": fitted(fit, lessons, Path(folder), articles),
            }
            notes = (f"learnt: kernel {kernel_ms(extractors['learnt'], batches):.3f} ms a page",)
        yield from compared(extractors, batches, rows, baseline(options.baseline), notes)


def compared(
    extractors: Mapping[str, Any],
    batches: Sequence[cascade.Batch],
    rows: Sequence[Mapping[str, Any]],
    published: Mapping[tuple[str, str], float],
    notes: tuple[str, ...],
) -> Iterator[case.Figures]:
    texts: dict[str, dict[str, str]] = {}
    speed: Figures = {}
    for name, extractor in extractors.items():
        documents, seconds = cascade.timed(extractor, batches)
        texts[name] = {
            record: text or ""
            for (records, _), batch in zip(batches, documents, strict=True)
            for record, text in zip(records, batch.column("text").to_pylist(), strict=True)
        }
        pages = len(texts[name])
        speed[name] = {"pages": pages, "CPU s": seconds, "pages/s": pages / seconds, "ms a page": 1e3 * seconds / pages}
    here = [row for row in rows if all(row["record_id"] in by_id for by_id in texts.values())]
    pages_of = Counter(row["lang"] for row in here if row["truth_kind"] in TRUTH_KINDS)

    def language(row: Mapping[str, Any]) -> str:
        return row["lang"] if row["lang"] and pages_of[row["lang"]] >= SMALLEST else "others"

    yield case.Figures("Speed, per second of CPU", speed, notes)
    yield table("All: means over pages", grouped(here, texts, lambda _: "all"), {})
    yield table("By data set: means over pages", grouped(here, texts, lambda row: str(row["dataset"])), published)
    yield table("By language: means over pages", grouped(here, texts, language), {})
    yield table("By type of page", grouped(here, texts, lambda row: row.get("page_type") or "not stated"), {})
    yield table("Segments", segments(here, texts), published)
    yield case.Figures("FineWeb's verdicts that differ from those on the truth", verdicts(here, texts))


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("archives", nargs="+", type=Path, help="WARC files")
    parser.add_argument("--fit", nargs="+", type=Path, help="archives that `learnt` is fitted on")
    parser.add_argument("--truth", type=Path, required=True, help="jsonl.gz, a line per page")
    parser.add_argument("--baseline", type=Path, help="published figures to print beside ours")
