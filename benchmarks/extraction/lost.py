"""Counts the visible text of pages that extractors lose, by cause.

    python -m benchmarks extraction.lost ARCHIVES… [--fit ARCHIVES…] [--pages 200] [--samples 20 --of CAUSE]

A page's visible text is read by `benchmarks/extraction/visible.py` and compared, without white space, with each
extractor's text. A lost character has one cause (`benchmarks/extraction/causes.py`): that its block is not in the text
is the choice of main content; that it is missing from a block that is there is a fault, unless it is left out on
purpose. A cell is the number of characters, and of pages in which any is lost.

`learnt` is fitted to the archives of `--fit`, with trafilatura as the teacher. `--samples` prints places that were
lost, `[[` and `]]` around them; `--of` names the causes by a part of their names.
"""

import argparse
import hashlib
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from rich.markup import escape

from benchmarks.case import Figures
from benchmarks.data import shared
from benchmarks.extraction import cascade, causes
from benchmarks.extraction.causes import Loss
from benchmarks.extraction.extractors import fitted
from benchmarks.extraction.visible import Visible, visible
from curation.core.input_files import list_files
from curation.extract.charset import decode
from curation.extract.etrafilatura import Etrafilatura
from curation.extract.resiliparse import Resiliparse
from curation.extract.sandbox.parent import close
from curation.extract.trafilatura import Trafilatura
from curation.fit.extractor import Extractor

ARCHIVES = "web/pages-public-*.warc.gz"
FIT = "web/pages-public-00004.warc.gz"
AROUND = 60  # characters of a sample on either side
PAGES_AT_ONCE = 256


class Sample(NamedTuple):
    """A lost place; those with the smallest keys are shown."""

    key: str
    url: str
    place: str
    text: str


class Tally:
    """Lost characters of one extractor by cause."""

    def __init__(self) -> None:
        self.shown = self.kept = self.added = 0
        self.characters: Counter[str] = Counter()
        self.pages: Counter[str] = Counter()
        self.samples: dict[str, list[Sample]] = defaultdict(list)

    def add(self, page: Visible, text: str, url: str, samples: int) -> None:
        self.shown += len(page.text)
        if not text:
            self.characters["page without text"] += len(page.text)
            self.pages["page without text"] += 1
            return
        kept, lost = causes.losses(page, text)
        self.kept += kept
        self.added += len("".join(text.split())) - kept
        for loss in lost:
            self.characters[loss.cause] += loss.characters
        self.pages.update({loss.cause for loss in lost})
        if samples:
            for loss in lost:
                self._keep(_sample(page, loss, url), loss.cause, samples)

    def _keep(self, sample: Sample, cause: str, samples: int) -> None:
        kept = self.samples[cause]
        kept.append(sample)
        if len(kept) > 8 * samples:
            kept.sort()
            del kept[samples:]


def _sample(page: Visible, loss: Loss, url: str) -> Sample:
    before = _spaced(page, max(0, loss.start - AROUND), loss.start)
    lost = _spaced(page, loss.start, min(loss.stop, loss.start + 3 * AROUND))
    behind = _spaced(page, loss.stop, min(len(page.text), loss.stop + AROUND))
    key = hashlib.sha1(f"{url} {loss.start}".encode("utf-8", "replace")).hexdigest()
    block = next(block for block in page.blocks if block.stop > loss.start)
    return Sample(key, url, block.place, f"{before}[[{lost}]]{behind}")


def _spaced(page: Visible, start: int, stop: int) -> str:
    """The text with its white space; a block's beginning is a paragraph mark."""
    gaps = ("", " ", " ⏎ ", " ¶ ")
    return "".join(gaps[page.gaps[place]] + page.text[place] for place in range(start, stop))


def extractors(fit: Sequence[Path], folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {"resiliparse": Resiliparse(), "trafilatura": Trafilatura()}
    if find_spec("etrafilatura"):
        found["etrafilatura"] = Etrafilatura()
    teacher = Extractor(teacher={"trafilatura": Trafilatura()}, trees=100)
    return found | {"learnt": fitted(teacher, cascade.read_batches(fit), folder)}


def run(options: argparse.Namespace) -> Iterator[Figures]:
    paths = options.archives or [Path(file.path) for file in list_files(str(shared(ARCHIVES)))]
    with tempfile.TemporaryDirectory() as folder:
        wanted = extractors(options.fit or [shared(FIT)], Path(folder))
        tallies = {name: Tally() for name in wanted}
        count = 0
        for pages in _batches(paths, options.pages):
            count += len(pages)
            shown = [_visible(*row) for row in zip(*_columns(pages, "content", "content_type"), strict=True)]
            urls = pages.column("url").to_pylist()
            for name, extractor in wanted.items():
                texts = extractor.extract(pages, {}, lambda *_: None).column("text").to_pylist()
                for page, text, url in zip(shown, texts, urls, strict=True):
                    tallies[name].add(page, text or "", url or "", options.samples)
        close()
    absent = () if "etrafilatura" in wanted else ("skipped: no etrafilatura, which needs Python 3.12",)
    yield table(tallies, count, absent)
    for name, tally in tallies.items():
        for cause, samples in sorted(tally.samples.items()):
            if options.of in cause:
                yield _shown_samples(name, cause, sorted(samples)[: options.samples])


def table(tallies: Mapping[str, Tally], pages: int, notes: tuple[str, ...]) -> Figures:
    """Cause -> characters and pages of each extractor, causes of a kind by the characters of all extractors."""
    total = sum((tally.characters for tally in tallies.values()), Counter[str]())
    order = sorted(total, key=lambda cause: (_rank(cause), -total[cause], cause))
    rows: dict[str, dict[str, Any]] = {
        "visible characters": {name: tally.shown for name, tally in tallies.items()},
        "in the text": {name: tally.kept for name, tally in tallies.items()},
        "in the text, not visible": {name: tally.added for name, tally in tallies.items()},
    }
    for group in dict.fromkeys(cause.partition(":")[0] for cause in order):
        own = [cause for cause in order if cause.partition(":")[0] == group]
        sums = {name: sum(tally.characters[cause] for cause in own) for name, tally in tallies.items()}
        rows[group.upper()] = dict(sums)
        for cause in own if own != [group] else ():
            rows[cause] = {
                column: value
                for name, tally in tallies.items()
                for column, value in ((name, tally.characters[cause]), (f"{name}, pages", tally.pages[cause]))
            }
    return Figures(f"Lost characters of {pages:,} pages", rows, notes)


def _rank(cause: str) -> int:
    kinds = (causes.WHOLE, "page without text", causes.AMID, causes.INSIDE, causes.SPACE)
    return kinds.index(cause.partition(":")[0])


def _shown_samples(extractor: str, cause: str, samples: Sequence[Sample]) -> Figures:
    rows = {
        f"{number}": {"page": one.url, "in": one.place, "text": escape(one.text)}
        for number, one in enumerate(samples, 1)
    }
    return Figures(f"{extractor}: {cause}", rows)


def _visible(content: bytes, content_type: str | None) -> Visible:
    return visible(decode(content, content_type)[0])


def _columns(pages: Any, *names: str) -> list[list[Any]]:
    return [pages.column(name).to_pylist() for name in names]


def _batches(paths: Sequence[Path], most: int | None) -> Iterator[Any]:
    """RAW batches of all pages, or of `most` spread evenly."""
    pages = [batch.pages for path in paths for batch in cascade.read_batches([path])]
    count = sum(map(len, pages))
    step = max(1, count // most) if most else 1
    place = 0
    for batch in pages:
        rows = [row for row in range(len(batch)) if (place + row) % step == 0]
        place += len(batch)
        for first in range(0, len(rows), PAGES_AT_ONCE):
            yield batch.take(rows[first : first + PAGES_AT_ONCE])


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("archives", nargs="*", type=Path, help="WARC files; without any, those of the test data")
    parser.add_argument("--fit", nargs="+", type=Path, help="archives that `learnt` is fitted on")
    parser.add_argument("--pages", type=int, help="about so many, spread evenly over the archives; default: all")
    parser.add_argument("--samples", type=int, default=0, help="lost places to print of each cause")
    parser.add_argument("--of", default="", help="causes whose samples are printed, by a part of their names")
