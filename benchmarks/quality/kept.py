"""What is kept and what is dropped of real pages whose main text people have marked, by language and page type.

The halves are archives 0 and 1, and 2 to 4; they share no page and are never mixed. The first table has, for each
extractor and language, the mean F1, the share of titles found, characters lost per 1,000, and formulas kept
(`benchmarks/quality/texts.py` says how each is counted). The second has, for each recipe, the share of good pages that
it keeps, by language, and then of junk among what it keeps (`pages.py` and `recipes.py` say what is good, what is
junk, and what of a recipe is run); an extractor that a recipe learns is learned from the other archives. The third
has the limits that cost each language most good pages by themselves. Languages with fewer than SMALLEST good pages are
`others` together.
"""

import argparse
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

import pyarrow as pa

from benchmarks import case
from benchmarks.data import SHARED
from benchmarks.extraction import cascade
from benchmarks.extraction.extractors import EXTRACTORS, fitted
from benchmarks.quality.pages import JUNK, Page, read_pages
from benchmarks.quality.recipes import RECIPES, RECORD, Fate, judge, read_recipe
from benchmarks.quality.texts import Stated, Wholeness, stated
from curation.fit.extractor import Extractor

ARCHIVES = tuple(f"pages-public-{number:05}.warc.gz" for number in range(5))
CHOOSE = ARCHIVES[:2]
REPORT = ARCHIVES[2:]
SMALLEST = 15  # good pages of a language, for a row of its own
WORST = 4  # limits shown of each language
SHOWN = ("resiliparse", "trafilatura", "trafilatura, precision", "etrafilatura")
Figures = dict[str, Any]


def extracted(extractor: Any, batches: list[cascade.Batch]) -> pa.RecordBatch:
    """The documents with all columns of extraction, and RECORD; each row is a page, also one without text."""
    documents = cascade.joined(cascade.timed(extractor, batches)[0])
    return documents.append_column(RECORD, pa.array([record for batch in batches for record in batch.records]))


def by_record(batch: pa.RecordBatch) -> dict[str, str]:
    pairs = zip(batch[RECORD].to_pylist(), batch["text"].to_pylist(), strict=True)
    return {record: text or "" for record, text in pairs}


def markup(batches: list[cascade.Batch]) -> dict[str, Stated]:
    """Record id -> what the page's markup, read as UTF-8, states."""
    return {
        record: stated(str(content.as_py(), "utf-8", "replace"))
        for records, pages in batches
        for record, content in zip(records, pages.column("content"), strict=True)
    }


def wholeness(
    pages: Mapping[str, Page], statements: Mapping[str, Stated], texts: Mapping[str, str]
) -> Iterator[tuple[str, Figures]]:
    """Language, "type …" or "all", and its figures."""
    sums: dict[str, Wholeness] = defaultdict(Wholeness)
    for page in pages.values():
        for name in ("all", page.language, f"type {page.type}"):
            sums[name].add(page, statements[page.record], texts.get(page.record, ""))
    for name, found in sorted(sums.items()):
        if len(found.f1) >= SMALLEST or found.formulas:
            yield (
                name,
                {
                    "pages": len(found.f1),
                    "F1": fmean(found.f1) if found.f1 else 0.0,
                    "titles": found.titles_found / max(1, found.titles),
                    "characters lost, per 1,000": 1000 * found.characters_lost / max(1, found.characters),
                    "formulas kept": f"{found.formulas_kept}/{found.formulas}",
                },
            )


def recipe_figures(pages: Mapping[str, Page], fate: Fate, texts: Mapping[str, str]) -> Figures:
    """`languages` and `types` (name -> `good`, `kept`), `junk` (`junk`, `kept_junk`, `kept`, `kept_poor`) and `limits`
    (language -> limit -> good pages beyond it)."""
    good = [page for page in pages.values() if page.good(texts.get(page.record, ""))]
    sizes = Counter(page.language for page in good)

    def large(page: Page) -> str:
        return page.language if sizes[page.language] >= SMALLEST else "others"

    kept = [page for page in pages.values() if page.judged() and page.record in fate.kept]
    return {
        "languages": _good_and_kept(_grouped(good, large), fate),
        "types": _good_and_kept(_grouped(good, lambda page: page.type), fate),
        "junk": {
            "junk": sum(page.label == JUNK for page in pages.values()),
            "kept_junk": sum(page.label == JUNK for page in kept),
            "kept": len(kept),
            "kept_poor": sum(not page.label and not page.good(texts.get(page.record, "")) for page in kept),
        },
        "limits": {
            language: {
                limit: count
                for limit, records in fate.beyond.items()
                if (count := sum(page.record in records for page in those))
            }
            for language, those in _grouped(good, large).items()
        },
    }


def _grouped(pages: Iterable[Page], group: Callable[[Page], str]) -> dict[str, list[Page]]:
    groups: dict[str, list[Page]] = defaultdict(list)
    for page in pages:
        groups[group(page)].append(page)
    return dict(sorted(groups.items()))


def _good_and_kept(groups: Mapping[str, list[Page]], fate: Fate) -> Figures:
    return {
        name: {"good": len(those), "kept": sum(page.record in fate.kept for page in those)}
        for name, those in groups.items()
    }


def kept(figures: Mapping[str, Figures]) -> Iterator[case.Figures]:
    rows = {}
    limits = {}
    for recipe, row in figures.items():
        junk = row["junk"]
        good = {
            f"good pages, {by}": ", ".join(f"{name} {one['kept']}/{one['good']}" for name, one in row[by].items())
            for by in ("languages", "types")
        }
        shares = {
            f"{name} among kept, %": 100 * junk[f"kept_{name}"] / max(1, junk["kept"]) for name in ("junk", "poor")
        }
        rows[recipe] = {"junk kept": f"{junk['kept_junk']}/{junk['junk']}", **shares, **good}
        for language, counts in row["limits"].items():
            worst = Counter(counts).most_common(WORST)
            limits[f"{recipe}, {language}"] = {"limits": ", ".join(f"{limit} {count}" for limit, count in worst)}
    yield case.Figures("Kept", rows)
    yield case.Figures("Limits by the good pages beyond them", limits)


def run(options: argparse.Namespace) -> Iterator[case.Figures]:
    archives = options.archives or (CHOOSE if options.choose else REPORT)
    pages = read_pages(options.data, archives)
    batches = cascade.read_batches([options.data / name for name in archives])
    if not options.no_extractors:
        statements = markup(batches)
        rows = {
            f"{name}: {group}": row
            for name in SHOWN
            if name in EXTRACTORS
            for group, row in wholeness(pages, statements, by_record(extracted(EXTRACTORS[name], batches)))
        }
        yield case.Figures("What extractors find", rows)
    found: dict[str, Figures] = {}
    for name in options.recipe or RECIPES:
        extractor, steps = read_recipe(name)
        with tempfile.TemporaryDirectory() as folder:
            if isinstance(extractor, Extractor):
                others = [options.data / other for other in ARCHIVES if other not in archives]
                extractor = fitted(extractor, cascade.read_batches(others), Path(folder))
            documents = extracted(extractor, batches)
        found[name] = recipe_figures(pages, judge(name, steps, documents), by_record(documents))
    yield from kept(found)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, default=SHARED / "web", help="folder of the archives, pages and truths")
    parser.add_argument("--choose", action="store_true", help="on archives 0 and 1 instead of 2 to 4")
    parser.add_argument("--archives", nargs="+", metavar="NAME", help="on these, by file name")
    parser.add_argument("--recipe", action="append", help="only this one, by name or path; may be given again")
    parser.add_argument("--no-extractors", action="store_true", help="only what recipes keep")
