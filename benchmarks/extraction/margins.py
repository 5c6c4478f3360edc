"""Chooses the margins of the cascade on some archives, and tells what they cost on others.

    python -m benchmarks.extraction.margins --fit ARCHIVES… --report ARCHIVES… [--then trafilatura] [--json FILE]

A margin is how much looser a limit of `judge` on the fast text is than FineWeb's own on the careful text. The
procedure, on the archives of --fit alone:

1. The careful parser reads every page, and the recipe `fineweb` says which documents are kept.
2. A limit's extreme is the worst value that the fast text of a kept document has, or FineWeb's own limit where that is
   looser: the narrowest limit that loses none.
3. It is loosened SAFETY times.
4. Limits are taken in the order of what they save. One that keeps less than LEAST of the pages from the careful parser,
   beyond those before it, is left out: each can lose documents among pages that nobody has seen.

As a check (`crossed`) limits are chosen on each archive of --fit and tried on the others. Last come the archives of
--report, which nothing was chosen on. With --then trafilatura, `min_fast_characters` is chosen too: the one after the
first of FAST_LEAST with which the fast way changes no verdict on the careful text; none where each of them changes one.

In the JSON file: `limits` (key.option -> value), `min_fast_characters`, and for `crossed`, `fit` and `report`: `pages`,
`reached` (by the careful parser), `kept` (of it on every page), `lost`, `won`, `different` ((lost + won) / kept).
"""

import argparse
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from rich.console import Console
from rich.table import Table

from benchmarks.extraction.cascade import kept_by_fineweb, read_batches, timed
from curation.engine.run import apply
from curation.extract.etrafilatura import Etrafilatura
from curation.extract.pages import FELL_BACK, PARSER
from curation.extract.resiliparse import Resiliparse
from curation.extract.trafilatura import Trafilatura
from curation.filters.c4_quality import C4Quality
from curation.filters.gopher_quality import GopherQuality
from curation.filters.language import Language

SAFETY = 2.0
LEAST = 0.02  # of the pages
FAST_LEAST = (250, 500, 1000, 2000, 4000, 8000)  # characters
MIN_CHARACTERS = 100  # of a fast text that is judged: the cascade's default
Bools: TypeAlias = npt.NDArray[np.bool_]

MEASURES = {
    "language": Language(languages=("en",), min_score=0.65),
    "gopher_quality": GopherQuality(variant="datatrove"),
    "c4_quality": C4Quality(variant="datatrove"),
}
CAREFUL: dict[str, Any] = {
    "trafilatura": Trafilatura(focus="precision"),
    "etrafilatura": Etrafilatura(),
}


@dataclass(frozen=True)
class Limit:
    """A limit of a rule set, as its option says it; `kind` says how it is loosened."""

    key: str
    option: str
    signal: str
    own: float  # FineWeb's
    kind: str  # count, share or number

    @property
    def low(self) -> bool:
        return self.option.startswith("min_")

    def passes(self, values: npt.NDArray[np.float64], limit: float) -> Bools:
        return values >= limit if self.low else values <= limit

    def loosened(self, extreme: float, by: float) -> float:
        """The limit `by` times as loose: a share towards 0 or 1, a count above 0 in whole steps."""
        value = min(extreme, self.own) if self.low else max(extreme, self.own)
        if self.low:
            return math.floor(value / by) if self.kind == "count" else math.floor(value / by * 100) / 100
        if self.kind == "share":
            return math.ceil((1 - (1 - value) / by) * 100) / 100
        return math.ceil((value + 1) * by - 1) if self.kind == "count" else math.ceil(value * by * 100) / 100


CANDIDATES = (
    Limit("language", "min_score", "score", 0.65, "share"),
    Limit("gopher_quality", "min_words", "words", 50, "count"),
    Limit("gopher_quality", "max_words", "words", 100_000, "count"),
    Limit("gopher_quality", "min_mean_word_length", "mean_word_length", 3, "number"),
    Limit("gopher_quality", "max_mean_word_length", "mean_word_length", 10, "number"),
    Limit("gopher_quality", "max_hashes_per_word", "hashes_per_word", 0.1, "number"),
    Limit("gopher_quality", "max_ellipses_per_word", "ellipses_per_word", 0.1, "number"),
    Limit("gopher_quality", "max_bullet_lines", "bullet_lines", 0.9, "share"),
    Limit("gopher_quality", "max_ellipsis_lines", "ellipsis_lines", 0.3, "share"),
    Limit("gopher_quality", "min_alphabetic_words", "alphabetic_words", 0.8, "share"),
    Limit("gopher_quality", "min_stop_words", "stop_words", 2, "count"),
    Limit("c4_quality", "min_sentences", "sentences", 5, "count"),
    Limit("c4_quality", "max_curly_brackets", "curly_brackets", 0, "count"),
)


@dataclass(frozen=True)
class Pages:
    """N pages: `values` of each limit on the fast text, whether a limit may drop it at all, and what is kept."""

    values: dict[Limit, npt.NDArray[np.float64]]
    judged: Bools  # has a fast text that is long enough, by the fast parser itself
    failed: Bools  # has none, for another reason than that there is none
    kept: Bools  # of the careful parser on every page
    kept_then: Bools  # of what the cascade's second parser makes of every page
    archive: npt.NDArray[np.int64]

    def __getitem__(self, rows: Bools) -> "Pages":
        values = {limit: column[rows] for limit, column in self.values.items()}
        rest = (getattr(self, name)[rows] for name in ("judged", "failed", "kept", "kept_then", "archive"))
        return Pages(values, *rest)

    def passing(self, limits: Mapping[Limit, float]) -> Bools:
        """bool[N]: the pages that reach the careful parser."""
        passes = np.ones(len(self.kept), np.bool_)
        for limit, value in limits.items():
            passes &= limit.passes(self.values[limit], value)
        return ~self.failed & (passes | ~self.judged)


def measured(fast: pa.RecordBatch) -> tuple[dict[Limit, npt.NDArray[np.float64]], Bools, Bools]:
    """The first three fields of Pages. A page in another language has the score 0."""
    judged = apply.judge(tuple(MEASURES.items()), fast)
    values = {}
    for limit in CANDIDATES:
        column = pc.struct_field(judged.column(limit.key), limit.signal)
        values[limit] = np.asarray(pc.fill_null(column, 0)).astype(np.float64)
    english = pc.fill_null(pc.equal(pc.struct_field(judged.column("language"), "label"), "en"), False)
    values[CANDIDATES[0]] = np.where(np.asarray(english), values[CANDIDATES[0]], 0.0)
    reasons = fast.column("drop_reason")
    failed = np.asarray(pc.and_(reasons.is_valid(), pc.not_equal(pc.fill_null(reasons, ""), "extract:empty")))
    length = np.asarray(pc.fill_null(pc.utf8_length(fast.column("text")), 0))
    fell_back = np.asarray(pc.fill_null(pc.ends_with(fast.column("extract").field(PARSER), FELL_BACK), False))
    return values, ~failed & ~fell_back & (length >= MIN_CHARACTERS), failed


def chosen(pages: Pages) -> dict[Limit, float]:
    """The limits by steps 2 to 4 of the procedure."""
    seen = pages.judged & pages.kept
    loose = {
        limit: limit.loosened(min(column[seen]) if limit.low else max(column[seen]), SAFETY)
        for limit, column in pages.values.items()
    }
    limits: dict[Limit, float] = {}
    while len(limits) < len(loose):
        reached = {one: pages.passing(limits | {one: value}).sum() for one, value in loose.items() if one not in limits}
        best = min(reached, key=lambda one: int(reached[one]))
        if pages.passing(limits).sum() - reached[best] < LEAST * len(pages.kept):
            break
        limits[best] = loose[best]
    return limits


def figures(pages: Pages, limits: Mapping[Limit, float]) -> dict[str, float]:
    passing = pages.passing(limits)
    kept = passing & pages.kept_then
    lost, won = int((pages.kept & ~kept).sum()), int((kept & ~pages.kept).sum())
    counts = {"pages": len(kept), "reached": int(passing.sum()), "kept": int(pages.kept.sum()), "lost": lost}
    return {**counts, "won": won, "different": (lost + won) / max(1, counts["kept"])}


def crossed(pages: Pages) -> dict[str, float]:
    """What limits that are chosen on each archive cost on the others, added up."""
    total: dict[str, float] = {}
    for archive in np.unique(pages.archive):
        own = pages.archive == archive
        for name, value in figures(pages[~own], chosen(pages[own])).items():
            total[name] = total.get(name, 0) + value
    return {**total, "different": (total["lost"] + total["won"]) / max(1, total["kept"])}


class Reading:
    """The texts of archives: the fast ones, the careful ones, and those of the careful parser's fast way."""

    def __init__(self, archives: Sequence[Path], then: str) -> None:
        careful = CAREFUL[then]
        of_archive = [read_batches([path]) for path in archives]
        batches = [batch for one in of_archive for batch in one]
        counts = [sum(len(batch.pages) for batch in one) for one in of_archive]
        self.archive = np.repeat(np.arange(len(counts)), counts)
        self.fast = _joined(timed(Resiliparse(), batches)[0])
        self.careful = _joined(timed(careful, batches)[0])
        self.quick = None if then == "etrafilatura" else _joined(timed(replace(careful, fast=True), batches)[0])

    def pages(self, min_fast: int | None = None) -> Pages:
        """`min_fast` of the second parser in the cascade; none where it does not take its fast way."""
        kept = kept_by_fineweb(self.careful)
        kept_then = kept
        if self.quick is not None and min_fast is not None:
            length = np.asarray(pc.fill_null(pc.utf8_length(self.quick.column("text")), 0))
            kept_then = np.where(length >= min_fast, kept_by_fineweb(self.quick), kept)
        return Pages(*measured(self.fast), kept, kept_then, self.archive)

    def changed(self, min_fast: int) -> int:
        """Verdicts that the fast way changes."""
        pages = self.pages(min_fast)
        return int((pages.kept != pages.kept_then).sum())


def _joined(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    return pa.Table.from_batches(batches).combine_chunks().to_batches()[0]


def fast_least(reading: Reading) -> int | None:
    """`min_fast_characters` by the procedure; none where none of them will do."""
    free = [] if reading.quick is None else [at for at, one in enumerate(FAST_LEAST) if not reading.changed(one)]
    return (*FAST_LEAST, None)[free[0] + 1] if free else None


def measure(fit: Sequence[Path], report: Sequence[Path], then: str) -> dict[str, Any]:
    reading = Reading(fit, then)
    min_fast = fast_least(reading)
    pages = reading.pages(min_fast)
    limits = chosen(pages)
    result: dict[str, Any] = {"limits": {f"{one.key}.{one.option}": value for one, value in limits.items()}}
    result |= {"min_fast_characters": min_fast, "crossed": crossed(pages), "fit": figures(pages, limits)}
    return result | {"report": figures(Reading(report, then).pages(min_fast), limits)}


def show(result: Mapping[str, Any], console: Console) -> None:
    for name in ("limits", "min_fast_characters"):
        if name in result:
            console.print(f"{name}: {result[name]}")
    table = Table("pages", "", "reached", "kept of all", "lost", "won", "different")
    for name in ("crossed", "fit", "report"):
        one = result[name]
        share = f"{one['reached']} ({one['reached'] / one['pages']:.1%})"
        table.add_row(
            name, *(str(cell) for cell in (one["pages"], share, one["kept"], one["lost"], one["won"])),
            f"{one['different']:.2%}",
        )  # fmt: skip
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fit", nargs="+", type=Path, required=True, help="WARC files to choose on")
    parser.add_argument("--report", nargs="+", type=Path, required=True, help="WARC files to tell the figures of")
    parser.add_argument("--then", choices=sorted(CAREFUL), default="trafilatura", help="the careful parser")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    given = parser.parse_args()
    result = measure(given.fit, given.report, given.then)
    show(result, Console(width=130))
    if given.json:
        given.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
