"""Targets: damaged files of documents, as the sources' tests write them or, where WINNOW_REAL_FILES names a folder that
`tests/real/take.py` filled, as publishers did. Reading one gives sound rows or one error that names it, and takes
`SECONDS` of a processor at most; so does a look at it, as `winnow inspect` takes.

Of each source `KEY` damages files, or repeats a piece of one, and `KEY_pile` writes long files of one shape
(`document_piles.py`): nested, or the same piece again and again, in lines of its own or in one.
"""

import gzip
import json
import os
import random
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from curation.core.errors import InputError
from curation.extract.pdf.pdf_file import pdfium
from curation.sources.inspection import inspected
from tests.contracts import test_every_source as sources
from tests.curation.pdf_files import column, pdf, shown
from tests.fuzz.child import Execution, Target
from tests.fuzz.document_piles import ANY, SHAPES
from tests.mutations import mutated

SECONDS = 5.0  # of a processor
MEGABYTES = 800  # of the process, interpreter and libraries included
GZIP = b"\x1f\x8b"
PILE = 8 << 20  # bytes
DEPTHS = (10_000, 100_000, 1_000_000)
LARGEST = 200_000  # bytes of a publisher's file that is damaged
TEXTS = [f"<p>Document {number} of the town.</p>" for number in range(5)]
PAGE = shown(
    *column(72, 700, ["The people of the town", "have to read."]), *column(320, 700, ["Another column", "of it."])
)


class Seed(NamedTuple):
    name: str
    content: bytes


def seeds_of(key: str) -> list[Seed]:
    """Files of a source, of publishers if there are any."""
    folder = Path(os.environ.get("WINNOW_REAL_FILES", "/none")) / key
    paths = sorted(path for path in folder.glob("**/*") if path.is_file() and path.stat().st_size <= LARGEST)
    own = [Seed("x", sources.sample(key).write(TEXTS))]
    own += [Seed("x.pdf", pdf(PAGE, PAGE, PAGE))] if key == "pdf" else []
    names = [f"{number}.txt" if key == "gutenberg" else path.name[-80:] for number, path in enumerate(paths, 1)]
    return [Seed(name, path.read_bytes()) for name, path in zip(names, paths, strict=True)] + own


def damaged(content: bytes, rng: random.Random) -> bytes:
    """One in ten has a piece of it, between line ends or of any length, up to 10,000 times."""
    if rng.random() < 0.9 or not content:
        return mutated(content, rng)
    start = rng.randrange(len(content))
    start = content.rfind(b"\n", 0, start) + 1 if rng.random() < 0.5 else start
    piece = content[start : start + rng.choice((1, 2, 5, 20, 100))]
    return content[:start] + piece * min(rng.choice((100, 10_000)), 400_000 // len(piece)) + content[start:]


def pile(key: str, rng: random.Random, size: int) -> bytes:
    """A long file of one shape."""
    shape = SHAPES[key]
    opening, closing = rng.choice((*shape.pieces, *shape.pieces, *ANY))
    between = rng.choice(("", "", "\n", " "))
    most = max(size // len(f"{opening}{between}{closing}".encode()), 1)
    depth = min(rng.choice((*DEPTHS, most)), most)
    write = rng.choice((shape.files[0], *shape.files))
    return write((opening + between) * depth + "a" + rng.choice((closing, "")) * depth)


def read(key: str, path: Path) -> None:
    """As a run does, a PDF file with its text."""
    sources.outcome(key, path)
    if key == "pdf":
        json.loads(_pdf_text(path.read_bytes()))


def look(key: str, path: Path) -> None:
    try:
        inspected(str(path))
    except InputError as refused:
        if str(path) not in str(refused):
            raise


_pdf_text = pdfium(max_pages=1_000)


def timed(call: Callable[[str, Path], None], key: str, path: Path) -> float:
    """Seconds of a processor that a call took. Raises AssertionError for one that took too many."""
    start = time.process_time()
    call(key, path)
    took = time.process_time() - start
    assert took <= SECONDS, f"{key}: {took:.1f} s of a processor for {path.stat().st_size} bytes"
    return took


def damaging(key: str, call: Callable[[str, Path], None], folder: Path) -> Execution:
    seeds = seeds_of(key)
    (folder / "whole").write_bytes(seeds[-1].content)
    call(key, folder / "whole")  # kernels are loaded, or compiled

    def execute(rng: random.Random) -> float:
        seed = rng.choice(seeds)
        path = folder / seed.name
        packed = seed.content.startswith(GZIP) and rng.random() < 0.9
        content = damaged(gzip.decompress(seed.content) if packed else seed.content, rng)
        path.write_bytes(gzip.compress(content, 1) if packed else content)
        return timed(call, key, path)

    return execute


def piling(key: str, folder: Path) -> Execution:
    path = folder / "x"
    path.write_bytes(pile(key, random.Random(0), 1_000))
    read(key, path)
    look(key, path)

    def execute(rng: random.Random) -> float:
        path.write_bytes(pile(key, rng, PILE))
        timed(look, key, path)
        return timed(read, key, path)

    return execute


def _looking(folder: Path) -> Execution:
    """At damaged files of each source."""
    each = [damaging(key, look, folder) for key in SHAPES]
    return lambda rng: rng.choice(each)(rng)


TARGETS: Mapping[str, Target] = {
    **{key: Target(partial(damaging, key, read), 1_000, most_mb=MEGABYTES) for key in SHAPES},
    **{f"{key}_pile": Target(partial(piling, key), 100, 0, most_mb=MEGABYTES) for key in SHAPES},
    "inspect": Target(_looking, 2_000, most_mb=MEGABYTES),
}
