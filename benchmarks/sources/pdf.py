"""Text of PDF files in reading order, beside pypdf, pdfminer.six and the text that pypdfium2 gives by itself.

Ours runs as the child process does, without the pipes. Seconds are those of the processor. Each side reads the same
files; words of ours that the peer's text has too are the agreement. Peers are slow and are given a part of the files.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from benchmarks.case import Case, DisagreementError, package
from curation.extract.pdf.pdf_file import pdfium

_read = pdfium(max_pages=5_000)
LEAST_SHARED = 0.7  # of our words: the others keep line ends, heads and hyphens


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", type=Path, nargs="+", help="PDF files")
    parser.add_argument("--part", type=int, default=10, help="peers read each so-manieth file")


def run(options: argparse.Namespace) -> Iterator[Case]:
    files = sorted(options.files)
    few = files[:: options.part]
    pages = {"pages": float(_pages(files))}
    some = {"pages": float(_pages(few))}
    for called, peer, given in (("pypdfium2", _plain, files), ("pypdf", _pypdf, few), ("pdfminer.six", _pdfminer, few)):
        yield Case(
            name=f"{len(files):,} files",
            amounts=pages,
            ours=partial(_ours, files, few),
            peer=partial(_all, peer, given, few),
            peer_amounts=pages if given is files else some,
            called=called,
            agree=_agree,
            packages=("pypdfium2", called),
        )


def _pages(files: Sequence[Path]) -> int:
    return sum(json.loads(_read(file.read_bytes()))["facts"].get("pages") or 0 for file in files)


def _ours(files: Sequence[Path], few: Sequence[Path]) -> Counter[str]:
    """Words of the few."""
    found = {file: json.loads(_read(file.read_bytes())).get("text") or "" for file in files}
    return _words(found[file] for file in few)


def _all(peer: Callable[[Path], str], files: Sequence[Path], few: Sequence[Path]) -> Counter[str]:
    found = {file: peer(file) for file in files}
    return _words(found[file] for file in few)


def _words(texts: "Iterator[str]") -> Counter[str]:
    return Counter(word for text in texts for word in re.findall(r"\w+", text.lower()))


def _plain(file: Path) -> str:
    pypdfium2 = package("pypdfium2")
    try:
        document = pypdfium2.PdfDocument(file)
    except pypdfium2.PdfiumError:
        return ""
    return "\n".join(page.get_textpage().get_text_range() for page in document)


def _pypdf(file: Path) -> str:
    pypdf = package("pypdf")
    return "\n".join(page.extract_text() for page in pypdf.PdfReader(file).pages)


def _pdfminer(file: Path) -> str:
    package("pdfminer", "pdfminer.six")
    return str(package("pdfminer.high_level").extract_text(file))


def _agree(ours: Counter[str], theirs: Counter[str]) -> str:
    shared = (ours & theirs).total() / max(ours.total(), 1)
    if shared < LEAST_SHARED:
        raise DisagreementError(f"the peer has {shared:.1%} of our words")
    return f"the peer has {shared:.1%} of our words"
