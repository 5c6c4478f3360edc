"""What is kept and what is dropped of real pages whose main text people have marked, by language and page type.

The halves are archives 0 and 1, and 2 to 4; they share no page and are never mixed. The first table has, for each
extractor and language, the mean F1, the share of titles found, characters lost per 1,000, and formulas kept
(`benchmarks/quality/texts.py` says how each is counted). The second has, for each recipe, the share of good pages that
it keeps, by language, and then of junk among what it keeps (`pages.py` and `recipes.py` say what is good, what is
junk, and what of a recipe is run). The third has the limits that cost each language most good pages by themselves.
Languages with fewer than SMALLEST good pages are `others` together.

With `--cache` what was extracted is kept there, and the next run reads it. `--fates` writes a line of JSON per page
and recipe: `record`, `recipe`, `language`, `type`, `label`, `f1`, `kept`, `reason`, `text`.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Any

import pyarrow as pa

from benchmarks import case
from benchmarks.data import SHARED
from benchmarks.extraction.extractors import EXTRACTORS
from benchmarks.quality.extracted import RECORD, documents, pages_as_read
from benchmarks.quality.pages import JUNK, Page, read_pages
from benchmarks.quality.recipes import RECIPES, Fate, judge, read_recipe
from benchmarks.quality.texts import Stated, Wholeness, stated

ARCHIVES = tuple(f"pages-public-{number:05}.warc.gz" for number in range(5))
CHOOSE = ARCHIVES[:2]
REPORT = ARCHIVES[2:]
SMALLEST = 15  # good pages of a language, for a row of its own
WORST = 4  # limits shown of each language
SHOWN = ("resiliparse", "trafilatura", "trafilatura, precision", "etrafilatura")
Figures = dict[str, Any]


class Half:
    """The pages of some archives, and their texts by extractor."""

    def __init__(self, data: Path, archives: Sequence[str], cache: Path | None) -> None:
        self.pages = read_pages(data, archives)
        self._files = [data / name for name in archives]
        self._cache = cache

    def texts(self, extractor: Any) -> pa.RecordBatch:
        """The documents of all archives."""
        batches = [documents(extractor, file, self._cache) for file in self._files]
        return pa.Table.from_batches(batches).combine_chunks().to_batches()[0]

    @cached_property
    def stated(self) -> dict[str, Stated]:
        """Record id -> what the page's markup states."""
        read = (page for file in self._files for page in pages_as_read(file).items())
        return {record: stated(markup) for record, markup in read}


def wholeness(half: Half, extractor: Any) -> Figures:
    """Language, "type …" or "all" -> `pages`, `f1`, `titles`, `titles_found`, `characters`, `characters_lost`,
    `formulas`, `formulas_kept`."""
    texts = _by_record(half.texts(extractor))
    sums: dict[str, Wholeness] = defaultdict(Wholeness)
    for page in half.pages.values():
        for name in ("all", page.language, f"type {page.type}"):
            sums[name].add(page, half.stated[page.record], texts.get(page.record, ""))
    return {
        name: {"pages": len(found.f1), **vars(found), "f1": fmean(found.f1) if found.f1 else 0.0}
        for name, found in sorted(sums.items())
        if found.f1 or found.formulas
    }


def recipe_figures(pages: Mapping[str, Page], fate: Fate, texts: Mapping[str, str]) -> Figures:
    """`languages` and `types` (name -> `good`, `kept`), `junk` (`junk`, `kept_junk`, `kept`, `kept_poor`) and `limits`
    (language -> limit -> good pages beyond it)."""
    good = [page for page in pages.values() if page.good(texts.get(page.record, ""))]
    sizes = Counter(page.language for page in good)
    result: Figures = {
        name: {
            of: {"good": len(those), "kept": sum(page.record in fate.kept for page in those)}
            for of, those in sorted(_grouped(good, group).items())
        }
        for name, group in (("languages", lambda page: _large(page, sizes)), ("types", lambda page: page.type))
    }
    kept = [page for page in pages.values() if page.judged() and page.record in fate.kept]
    poor = sum(not page.label and not page.good(texts.get(page.record, "")) for page in kept)
    labelled = [page for page in pages.values() if page.label == JUNK]
    result["junk"] = {
        "junk": len(labelled),
        "kept_junk": sum(page.label == JUNK for page in kept),
        "kept": len(kept),
        "kept_poor": poor,
    }
    result["limits"] = {
        language: {
            limit: count
            for limit, records in fate.beyond.items()
            if (count := sum(page.record in records for page in those))
        }
        for language, those in _grouped(good, lambda page: _large(page, sizes)).items()
    }
    return result


def _grouped(pages: Iterable[Page], group: Callable[[Page], str]) -> dict[str, list[Page]]:
    groups: dict[str, list[Page]] = defaultdict(list)
    for page in pages:
        groups[group(page)].append(page)
    return groups


def _large(page: Page, sizes: Mapping[str, int]) -> str:
    return page.language if sizes[page.language] >= SMALLEST else "others"


def _by_record(batch: pa.RecordBatch) -> dict[str, str]:
    pairs = zip(batch[RECORD].to_pylist(), batch["text"].to_pylist(), strict=True)
    return {record: text or "" for record, text in pairs}


def fates(pages: Mapping[str, Page], recipe: str, fate: Fate, texts: Mapping[str, str]) -> Iterator[Figures]:
    for page in pages.values():
        text = texts.get(page.record, "")
        yield {
            "record": page.record,
            "recipe": recipe,
            "language": page.language,
            "type": page.type,
            "label": page.label,
            "f1": page.f1(text),
            "kept": page.record in fate.kept,
            "reason": fate.reason(page.record),
            "text": text,
        }


def extracted(figures: Mapping[str, Figures]) -> case.Figures:
    rows = {}
    for extractor, groups in figures.items():
        for name, row in groups.items():
            if row["pages"] >= SMALLEST or row["formulas"]:
                rows[f"{extractor}: {name}"] = {
                    "pages": row["pages"],
                    "F1": row["f1"],
                    "titles": row["titles_found"] / max(1, row["titles"]),
                    "characters lost, per 1,000": 1000 * row["characters_lost"] / max(1, row["characters"]),
                    "formulas kept": f"{row['formulas_kept']}/{row['formulas']}",
                }
    return case.Figures("What extractors find", rows)


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
            worst = sorted(counts.items(), key=lambda item: -item[1])[:WORST]
            limits[f"{recipe}, {language}"] = {"limits": ", ".join(f"{limit} {count}" for limit, count in worst)}
    yield case.Figures("Kept", rows)
    yield case.Figures("Limits by the good pages beyond them", limits)


def run(options: argparse.Namespace) -> Iterator[case.Figures]:
    half = Half(options.data, CHOOSE if options.choose else REPORT, options.cache)
    names = () if options.no_extractors else [name for name in SHOWN if name in EXTRACTORS]
    if names:
        yield extracted({name: wholeness(half, EXTRACTORS[name]) for name in names})
    found: dict[str, Figures] = {}
    lines: list[Figures] = []
    for name in options.recipe or RECIPES:
        extractor, steps = read_recipe(name)
        texts = half.texts(extractor)
        fate = judge(name, steps, texts)
        by_record = _by_record(texts)
        found[name] = recipe_figures(half.pages, fate, by_record)
        lines += fates(half.pages, name, fate, by_record)
    if options.fates:
        options.fates.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    yield from kept(found)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, default=SHARED / "web", help="folder of the archives, pages and truths")
    parser.add_argument("--choose", action="store_true", help="on archives 0 and 1 instead of 2 to 4")
    parser.add_argument("--recipe", action="append", help="only this one, by name or path; may be given again")
    parser.add_argument("--no-extractors", action="store_true", help="only what recipes keep")
    parser.add_argument("--cache", type=Path, help="folder that keeps what was extracted")
    parser.add_argument("--fates", type=Path, metavar="FILE", help="write what became of each page, with its text")
