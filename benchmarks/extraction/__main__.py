"""How well and how fast the extractors take a page's main text, on real pages whose main text people have marked.

    python -m benchmarks.extraction ARCHIVES… --truth TRUTH.jsonl.gz [--baseline FILE] [--json FILE]
    python -m benchmarks.extraction --cascade ARCHIVES… [--json FILE]

A text is a bag of words, a Chinese, Japanese or Korean character being a word; precision, recall and F1 of a page are
those of its bag beside the truth's, and a row shows their means over the pages. Counted are rows of `full_text` and
`reference_extraction`; `segments` are counted apart: strings that must and must not appear. TRUTH has a line per page
with `record_id`, `dataset`, `lang`, `truth_kind` and `text`, or `with` and `without`. `--baseline` is a JSON file of
figures by other hands: `rows` with `dataset`, `extractor` and `mean_f1` (of segments: `f1`).

Documents per second are per second of CPU, that of the parsing process included and its start left out, over all pages
of the archives. In the JSON file: `speed` (extractor -> `pages`, `cpu_seconds`, `pages_per_second`), `by_dataset` and
`by_language` (name -> extractor -> `pages`, `precision`, `recall`, `f1`), `segments` (dataset -> extractor -> `wanted`,
`found`, `unwanted`, `leaked`, `precision`, `recall`, `f1`), and of `--cascade` what `benchmarks.extraction.cascade`
says.
"""

import argparse
import gzip
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import Any, TypeAlias

from rich.console import Console
from rich.table import Table

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


@dataclass(frozen=True)
class Scores:
    """Of one page's words, in [0, 1]; two texts without words agree."""

    precision: float
    recall: float
    f1: float


def score(text: str, truth: str) -> Scores:
    found, wanted = (Counter(WORD.findall(one.lower())) for one in (text, truth))
    both = (found & wanted).total()
    if not found and not wanted:
        return Scores(1.0, 1.0, 1.0)
    return Scores(both / max(1, found.total()), both / max(1, wanted.total()), 2 * both / (found + wanted).total())


def read_truth(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


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
        name: {
            extractor: {
                "pages": len(scores),
                **{of: fmean(getattr(one, of) for one in scores) for of in ("precision", "recall", "f1")},
            }
            for extractor, scores in by_extractor.items()
        }
        for name, by_extractor in sorted(pages.items())
    }


def segments(truth: Sequence[Mapping[str, Any]], texts: Mapping[str, Mapping[str, str]]) -> dict[str, Figures]:
    """Data set -> extractor -> strings that had to be there and were, and those that had not and were."""
    rows = [row for row in truth if row["truth_kind"] == "segments"]
    found: dict[str, Figures] = {}
    for dataset in sorted({row["dataset"] for row in rows if row.get("with")}):
        for extractor, by_id in texts.items():
            pages = [(by_id[r["record_id"]], r) for r in rows if r["dataset"] == dataset and r["record_id"] in by_id]
            counts = {
                "wanted": sum(len(row.get("with") or ()) for _, row in pages),
                "found": sum(one in text for text, row in pages for one in row.get("with") or ()),
                "unwanted": sum(len(row.get("without") or ()) for _, row in pages),
                "leaked": sum(one in text for text, row in pages for one in row.get("without") or ()),
            }
            precision = counts["found"] / max(1, counts["found"] + counts["leaked"])
            recall = counts["found"] / max(1, counts["wanted"])
            f1 = 2 * precision * recall / max(1e-9, precision + recall)
            found.setdefault(dataset, {})[extractor] = {**counts, "precision": precision, "recall": recall, "f1": f1}
    return found


def baseline(path: Path | None) -> dict[tuple[str, str], float]:
    """(data set, extractor as named there) -> F1."""
    rows = json.loads(path.read_text())["rows"] if path else []
    return {(row["dataset"], row["extractor"]): row.get("mean_f1", row.get("f1")) for row in rows}


def show(title: str, figures: Mapping[str, Figures], console: Console, others: Mapping[tuple[str, str], float]) -> None:
    table = Table("", "extractor", "pages", "precision", "recall", "F1", "baseline F1", title=title)
    for name, by_extractor in figures.items():
        for extractor, row in by_extractor.items():
            other = others.get((name, SAME.get(extractor, "")))
            cells = (f"{row[of]:.4f}" for of in ("precision", "recall", "f1"))
            count = f"{row.get('pages', row.get('wanted', 0)):.0f}"
            table.add_row(name, extractor, count, *cells, "" if other is None else f"{other:.4f}")
            name = ""
        table.add_section()
    console.print(table)


def show_speed(speed: Figures, console: Console) -> None:
    table = Table("extractor", "pages", "CPU s", "pages/s", title="Speed, per second of CPU")
    for extractor, row in speed.items():
        cells = f"{row['pages']:.0f}", f"{row['cpu_seconds']:.1f}", f"{row['pages_per_second']:.1f}"
        table.add_row(extractor, *cells)
    console.print(table)


def accuracy(archives: Sequence[Path], truth: Path, others: Path | None, console: Console) -> dict[str, Any]:
    rows, batches = read_truth(truth), cascade.read_batches(archives)
    texts: dict[str, dict[str, str]] = {}
    speed: Figures = {}
    for name, extractor in EXTRACTORS.items():
        done, seconds = cascade.timed(extractor, batches)
        texts[name] = {
            record: text or ""
            for (records, _), batch in zip(batches, done, strict=True)
            for record, text in zip(records, batch.column("text").to_pylist(), strict=True)
        }
        speed[name] = {
            "pages": len(texts[name]),
            "cpu_seconds": seconds,
            "pages_per_second": len(texts[name]) / seconds,
        }
    reached = baseline(others)
    pages = Counter(row["lang"] for row in rows if row["truth_kind"] in TRUTH_KINDS)
    result = {
        "speed": speed,
        "by_dataset": grouped(rows, texts, lambda row: str(row["dataset"])),
        "by_language": grouped(
            rows,
            texts,
            lambda row: row["lang"] if row["lang"] and pages[row["lang"]] >= SMALLEST else "others",
        ),
        "segments": segments(rows, texts),
    }
    show_speed(speed, console)
    show("By data set: means over pages", result["by_dataset"], console, reached)
    show("By language: means over pages", result["by_language"], console, {})
    show("Segments (pages: strings that must appear)", result["segments"], console, reached)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.extraction",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("archives", nargs="*", type=Path, help="WARC files")
    parser.add_argument("--truth", type=Path, help="jsonl.gz, a line per page")
    parser.add_argument("--baseline", type=Path, help="figures to print beside ours")
    parser.add_argument("--cascade", nargs="+", type=Path, default=[], help="WARC files: the cascade beside its end")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    given = parser.parse_args()
    if bool(given.archives) != bool(given.truth) or not (given.archives or given.cascade):
        parser.error("give ARCHIVES and --truth, or --cascade ARCHIVES")
    console = Console(width=130)
    result: dict[str, Any] = {}
    if given.archives:
        result |= accuracy(given.archives, given.truth, given.baseline, console)
    if given.cascade:
        result["cascade"] = cascade.compare(given.cascade, console)
    if given.json:
        given.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
