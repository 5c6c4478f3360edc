"""Chooses the margins of the cascade on some archives, and measures what they cost on others.

    python -m benchmarks extraction.margins --fit ARCHIVES… --report ARCHIVES… [--then trafilatura]

A margin is how much looser a limit of `judge` on the fast text is than FineWeb's own limit on the careful text. They
are chosen on the archives of --fit:

1. The careful parser reads every page, and the recipe `fineweb` decides which documents are kept.
2. The extreme of a limit is the worst value that the fast text of a kept document has, or FineWeb's own limit if that
   is looser. It is the narrowest limit that loses no document.
3. It is loosened SAFETY times.
4. Limits are added in the order of what they save. A limit that saves the careful parser less than LEAST of the pages,
   beyond those that earlier limits save, is left out, because each limit can lose documents among unseen pages.

As a check (`crossed`), limits are chosen on each archive of --fit and tried on the others. Finally they are measured on
the archives of --report. With --then trafilatura, `min_fast_characters` is chosen too: the value in FAST_LEAST after
the first one at which the fast mode changes no verdict; null if it changes one at each.

`reached` are pages by the careful parser, `kept` those of it on every page, `different` is (lost + won) / kept.
"""

import argparse
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.case import Figures
from benchmarks.extraction.cascade import joined, kept_by_fineweb, read_batches, timed
from curation.engine import apply
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
    """A limit that an option of a rule set sets; `kind` says how it is loosened."""

    key: str
    option: str  # min_ or max_ and the signal's name
    own: float  # FineWeb's
    kind: str  # count, share or number

    @property
    def signal(self) -> str:
        return self.option[len("min_") :]

    @property
    def low(self) -> bool:
        return self.option.startswith("min_")

    def passes(self, values: npt.NDArray[np.float64], limit: float) -> Bools:
        return values >= limit if self.low else values <= limit

    def loosened(self, extreme: float, by: float) -> float:
        """The limit `by` times as loose: a share moves towards 0 or 1, a count in whole steps above 0."""
        value = min(extreme, self.own) if self.low else max(extreme, self.own)
        if self.low:
            return math.floor(value / by) if self.kind == "count" else math.floor(value / by * 100) / 100
        if self.kind == "share":
            return math.ceil((1 - (1 - value) / by) * 100) / 100
        return math.ceil((value + 1) * by - 1) if self.kind == "count" else math.ceil(value * by * 100) / 100


CANDIDATES = (
    Limit("language", "min_score", 0.65, "share"),
    Limit("gopher_quality", "min_words", 50, "count"),
    Limit("gopher_quality", "max_words", 100_000, "count"),
    Limit("gopher_quality", "min_mean_word_length", 3, "number"),
    Limit("gopher_quality", "max_mean_word_length", 10, "number"),
    Limit("gopher_quality", "max_hashes_per_word", 0.1, "number"),
    Limit("gopher_quality", "max_ellipses_per_word", 0.1, "number"),
    Limit("gopher_quality", "max_bullet_lines", 0.9, "share"),
    Limit("gopher_quality", "max_ellipsis_lines", 0.3, "share"),
    Limit("gopher_quality", "min_alphabetic_words", 0.8, "share"),
    Limit("gopher_quality", "min_stop_words", 2, "count"),
    Limit("c4_quality", "min_sentences", 5, "count"),
    Limit("c4_quality", "max_curly_brackets", 0, "count"),
)


@dataclass(frozen=True)
class Pages:
    """N pages: signals of the fast text, and which pages are judged and kept."""

    values: dict[Limit, npt.NDArray[np.float64]]  # the signal that each limit bounds
    judged: Bools  # the fast parser itself found a text that is long enough
    failed: Bools  # no fast text, because of an error or a limit
    kept: Bools  # with the careful parser on every page
    kept_then: Bools  # with the cascade's second parser on every page
    archive: npt.NDArray[np.int64]

    def __getitem__(self, rows: Bools) -> "Pages":
        values = {limit: column[rows] for limit, column in self.values.items()}
        columns = (getattr(self, name)[rows] for name in ("judged", "failed", "kept", "kept_then", "archive"))
        return Pages(values, *columns)

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
    fell_back = np.asarray(pc.fill_null(pc.match_substring(fast.column("extract").field(PARSER), FELL_BACK), False))
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
        reached = {
            limit: int(pages.passing(limits | {limit: value}).sum())
            for limit, value in loose.items()
            if limit not in limits
        }
        best = min(reached, key=reached.__getitem__)
        if pages.passing(limits).sum() - reached[best] < LEAST * len(pages.kept):
            break
        limits[best] = loose[best]
    return limits


def figures(pages: Pages, limits: Mapping[Limit, float]) -> dict[str, float]:
    passing = pages.passing(limits)
    kept = passing & pages.kept_then
    lost = int((pages.kept & ~kept).sum())
    won = int((kept & ~pages.kept).sum())
    counts = {"pages": len(kept), "reached": int(passing.sum()), "kept": int(pages.kept.sum()), "lost": lost}
    return {**counts, "won": won, "different": (lost + won) / max(1, counts["kept"])}


def crossed(pages: Pages) -> dict[str, float]:
    """The sum of what the limits chosen on each archive cost on the others."""
    total: dict[str, float] = {}
    for archive in np.unique(pages.archive):
        own = pages.archive == archive
        for name, value in figures(pages[~own], chosen(pages[own])).items():
            total[name] = total.get(name, 0) + value
    return {**total, "different": (total["lost"] + total["won"]) / max(1, total["kept"])}


class Reading(NamedTuple):
    """The texts of archives by the fast parser, by the careful one, and by the latter's fast mode, if it has one."""

    archive: npt.NDArray[np.int64]
    fast: pa.RecordBatch
    careful: pa.RecordBatch
    quick: pa.RecordBatch | None

    def pages(self, min_fast: int | None = None) -> Pages:
        """`min_fast`: the cascade's `min_fast_characters`; None for no fast mode."""
        kept = kept_by_fineweb(self.careful)
        kept_then = kept
        if self.quick is not None and min_fast is not None:
            length = np.asarray(pc.fill_null(pc.utf8_length(self.quick.column("text")), 0))
            kept_then = np.where(length >= min_fast, kept_by_fineweb(self.quick), kept)
        return Pages(*measured(self.fast), kept, kept_then, self.archive)

    def fast_least(self) -> int | None:
        """`min_fast_characters` as the module's docstring says; None if no value will do."""
        if self.quick is None:
            return None
        for value, following in zip(FAST_LEAST, (*FAST_LEAST[1:], None), strict=True):
            pages = self.pages(value)
            if (pages.kept == pages.kept_then).all():
                return following
        return None


def read(archives: Sequence[Path], then: str) -> Reading:
    careful = CAREFUL[then]
    of_archive = [read_batches([path]) for path in archives]
    batches = [batch for own in of_archive for batch in own]
    counts = [sum(len(batch.pages) for batch in own) for own in of_archive]
    fast, slow = (joined(timed(parser, batches)[0]) for parser in (Resiliparse(), careful))
    quick = None if then == "etrafilatura" else joined(timed(replace(careful, fast=True), batches)[0])
    return Reading(np.repeat(np.arange(len(counts)), counts), fast, slow, quick)


def run(options: argparse.Namespace) -> Iterator[Figures]:
    reading = read(options.fit, options.then)
    min_fast = reading.fast_least()
    pages = reading.pages(min_fast)
    limits = chosen(pages)
    rows = {"crossed": crossed(pages), "fit": figures(pages, limits)}
    rows["report"] = figures(read(options.report, options.then).pages(min_fast), limits)
    named = {f"{limit.key}.{limit.option}": value for limit, value in limits.items()}
    yield Figures("archives", rows, (f"limits: {named}", f"min_fast_characters: {min_fast}"))


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--fit", nargs="+", type=Path, required=True, help="WARC files to choose on")
    parser.add_argument("--report", nargs="+", type=Path, required=True, help="WARC files to measure on")
    parser.add_argument("--then", choices=sorted(CAREFUL), default="trafilatura", help="the careful parser")
