"""Measures how the time of extractors grows with a page, for large pages of many shapes, beside the bare library.

    python -m benchmarks extraction.shapes [--extractors resiliparse learnt] [--seconds 10]

Each shape has pages of three sizes, four times as large each. `growth` is the exponent of the time between the two
largest that were timed: 1 is linear, 2 quadratic. A page that takes longer than `--seconds` is stopped and its size is
shown; larger ones are not tried. `times library` compares the largest page timed with Resiliparse's own call on it.

The time is all that is done for a page: limits and formulas in this process, and the parser in its child, which is
running before the clock starts. `learnt` is fitted to small made pages.
"""

import argparse
import math
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
from resiliparse.extract.html2text import extract_plain_text

from benchmarks.case import Figures
from benchmarks.extraction.cascade import Batch
from benchmarks.extraction.extractors import EXTRACTORS, fitted
from benchmarks.extraction.shaped_pages import SHAPES
from curation.core.document import RAW
from curation.extract.resiliparse import Resiliparse
from curation.extract.sandbox.parent import close
from curation.fit.extractor import Extractor

SIZES = (1, 4, 16)
CALLED = ("resiliparse", "learnt")
LESSONS = 24  # pages that `learnt` is fitted to
_SMALL = b"<p>A paragraph that starts the child process.</p>"


def extractors(names: Sequence[str], seconds: float, folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in names:
        if name == "learnt":
            found[name] = fitted(Extractor(teacher={"resiliparse": Resiliparse()}, trees=20), [_lessons()], folder)
        else:
            found[name] = replace(EXTRACTORS[name], timeout_seconds=seconds)
    return found


def run(options: argparse.Namespace) -> Iterator[Figures]:
    rows: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in options.extractors}
    with tempfile.TemporaryDirectory() as folder:
        wanted = extractors(options.extractors, options.seconds, Path(folder))
        for shape, page in SHAPES.items():
            if options.shape not in shape:
                continue
            pages = [page(size).encode() for size in SIZES]
            library = _growing(_library, pages, options)
            for name, extractor in wanted.items():
                rows[name][shape] = _row(
                    pages, _growing(partial(_extract, extractor), pages, options), library, options
                )
        close()
    for name, by_shape in rows.items():
        yield Figures(f"{name}: seconds a page", by_shape)


def _growing(work: Callable[[bytes], str | None], pages: Sequence[bytes], options: argparse.Namespace) -> list[float]:
    """Seconds of each page, up to one that takes too long."""
    seconds: list[float] = []
    for page in pages:
        work(_SMALL)  # starts the child
        spent = _least(partial(work, page), options.rounds, options.seconds)
        if spent > options.seconds:
            break
        seconds.append(spent)
    return seconds


def _row(
    pages: Sequence[bytes], seconds: Sequence[float], library: Sequence[float], options: argparse.Namespace
) -> dict[str, Any]:
    """The row of a shape: seconds of each size, growth, and times the library's time."""
    row: dict[str, Any] = {"kB": len(pages[-1]) // 1000} | {f"× {size}": None for size in SIZES}
    row |= {f"× {size}": spent for size, spent in zip(SIZES, seconds, strict=False)}
    if len(seconds) < len(SIZES):
        row[f"× {SIZES[len(seconds)]}"] = f"> {options.seconds:g}"
    row |= {"growth": _growth(seconds), "library": None, "its growth": _growth(library), "times library": None}
    both = min(len(seconds), len(library))
    if both:
        row |= {"library": library[both - 1], "times library": seconds[both - 1] / library[both - 1]}
    return row


def _growth(seconds: Sequence[float]) -> float | None:
    """The exponent between the two largest pages."""
    return math.log(seconds[-1] / seconds[-2], SIZES[-1] / SIZES[-2]) if len(seconds) > 1 else None


def _extract(extractor: Any, page: bytes) -> str | None:
    """The reason why a page has no text, if so."""
    document = extractor.extract(_batch([page]).pages, {}, lambda *_: None)
    reason: str | None = document.column("drop_reason")[0].as_py()
    return reason


def _library(page: bytes) -> None:
    extract_plain_text(page.decode(), main_content=True)


def _least(work: Callable[[], str | None], rounds: int, most: float) -> float:
    """Seconds by the wall clock of the fastest round; infinite if a page was stopped, after which none is repeated."""
    least = math.inf
    for _ in range(rounds):
        start = time.perf_counter()
        reason = work()
        spent = time.perf_counter() - start
        if reason in ("extract:timeout", "extract:crash"):
            return math.inf
        if reason:
            raise AssertionError(f"a page was dropped as {reason}; make the shape smaller")
        least = min(least, spent)
        if spent > most / rounds:
            break
    return least


def _lessons() -> Batch:
    """Small pages with some text that the teacher leaves out, of several hosts."""
    shapes = list(SHAPES.values())
    menu = "".join(f'<li><a href="/{item}">Menu {item}</a>' for item in range(20))
    pages = [
        shapes[number % len(shapes)](1)[:20_000].replace("<main>", f"<nav><ul>{menu}</ul></nav><main>").encode()
        for number in range(LESSONS)
    ]
    return _batch(pages)


def _batch(pages: Sequence[bytes]) -> Batch:
    rows: list[Mapping[str, Any]] = [
        {
            "doc_id": f"{number:032x}",
            "url": f"https://host-{number}.invalid/",
            "source": "benchmark",
            "content": page,
            "content_type": "text/html; charset=utf-8",
        }
        for number, page in enumerate(pages)
    ]
    return Batch([str(row["doc_id"]) for row in rows], pa.RecordBatch.from_pylist(rows, schema=RAW))


def add_options(parser: argparse.ArgumentParser) -> None:
    names = [*(name for name in EXTRACTORS if "," not in name), "learnt"]
    parser.add_argument("--extractors", nargs="+", default=CALLED, choices=names, help="default: %(default)s")
    parser.add_argument("--seconds", type=float, default=10.0, help="the longest that a page may take")
    parser.add_argument("--shape", default="", help="shapes to time, by a part of their names")
