"""How well and how fast the extractors find a page's main text, on real pages whose main text people have marked.

    python -m benchmarks extraction.extractors ARCHIVES… --truth TRUTH.jsonl.gz [--baseline FILE]

A text is a bag of words, in which each Chinese, Japanese or Korean character is a word. Precision, recall and F1
compare the bag of a page with the bag of its truth; a row shows their means over pages. Truths of the kinds `full_text`
and `reference_extraction` count. `segments`, strings that must or must not appear, are counted apart. TRUTH has a line
per page with `record_id`, `dataset`, `lang`, `truth_kind` and `text`, or `with` and `without`. `--baseline` is a JSON
file of published figures: `rows` with `dataset`, `extractor` and `mean_f1` (for segments, `f1`).

Speed is per CPU second over all pages of the archives, including the parsing process but not its start.
"""

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple, TypeAlias

from benchmarks import case
from benchmarks.data import rows_of
from benchmarks.extraction import cascade
from curation.extract.etrafilatura import Etrafilatura
from curation.extract.resiliparse import Resiliparse
from curation.extract.trafilatura import Trafilatura

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


def table(title: str, found: Mapping[str, Figures], others: Mapping[tuple[str, str], float]) -> case.Figures:
    rows = {}
    for name, by_extractor in found.items():
        for extractor, row in by_extractor.items():
            published = others.get((name, SAME.get(extractor, "")))
            rows[f"{name}: {extractor}"] = dict(row) | ({} if published is None else {"published F1": published})
    return case.Figures(title, rows)


def run(options: argparse.Namespace) -> Iterator[case.Figures]:
    rows = rows_of(options.truth)
    batches = cascade.read_batches(options.archives)
    texts: dict[str, dict[str, str]] = {}
    speed: Figures = {}
    for name, extractor in EXTRACTORS.items():
        documents, seconds = cascade.timed(extractor, batches)
        texts[name] = {
            record: text or ""
            for (records, _), batch in zip(batches, documents, strict=True)
            for record, text in zip(records, batch.column("text").to_pylist(), strict=True)
        }
        speed[name] = {"pages": len(texts[name]), "CPU s": seconds, "pages/s": len(texts[name]) / seconds}
    pages = Counter(row["lang"] for row in rows if row["truth_kind"] in TRUTH_KINDS)

    def language(row: Mapping[str, Any]) -> str:
        return row["lang"] if row["lang"] and pages[row["lang"]] >= SMALLEST else "others"

    published = baseline(options.baseline)
    yield case.Figures("Speed, per second of CPU", speed)
    yield table("By data set: means over pages", grouped(rows, texts, lambda row: str(row["dataset"])), published)
    yield table("By language: means over pages", grouped(rows, texts, language), {})
    yield table("Segments", segments(rows, texts), published)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("archives", nargs="+", type=Path, help="WARC files")
    parser.add_argument("--truth", type=Path, required=True, help="jsonl.gz, a line per page")
    parser.add_argument("--baseline", type=Path, help="published figures to print beside ours")
