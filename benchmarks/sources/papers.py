"""Papers in TeX as text, beside pylatexenc's latex2text, which reads no inputs and expands no macros.

A document of the texts is one paper. MB are those of TeX, per CPU second; the peer is given the first `--peer-mb`.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from pylatexenc.latex2text import LatexNodes2Text

from benchmarks.case import Case, DisagreementError
from curation.core.protocols import Piece, ReadTally
from curation.sources.documents.latex.paper_files import PaperFiles
from curation.sources.documents.latex.plain_text import plain_text
from curation.sources.jsonl import Jsonl

WORDS = 0.5  # of the peer's different words, which ours has at least


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--text", type=Path, required=True, help="JSON lines with TeX, such as latex.jsonl.gz.")
    parser.add_argument("--peer-mb", type=float, default=1.0, help="Megabytes of TeX for the peer.")


def run(options: argparse.Namespace) -> Iterator[Case]:
    batches = Jsonl(paths=()).read([Piece(str(options.text))], "benchmark", ReadTally())
    papers = [text for batch in batches for text in batch["text"].to_pylist() if text]
    few: list[str] = []
    for paper in papers:
        if sum(map(_megabytes, few)) < options.peer_mb:
            few.append(paper)
    yield Case(
        name=f"{len(papers):,} papers",
        amounts={"MB": sum(map(_megabytes, papers))},
        ours=partial(_ours, papers),
        peer=partial(_pylatexenc, few),
        called="pylatexenc",
        peer_amounts={"MB": sum(map(_megabytes, few))},
        agree=_alike,
        packages=("pylatexenc",),
    )


def _megabytes(paper: str) -> float:
    return len(paper.encode()) / 1e6


def _ours(papers: Sequence[str]) -> list[str]:
    return [plain_text(PaperFiles({"main.tex": paper}), Counter()) for paper in papers]


def _pylatexenc(papers: Sequence[str]) -> list[str]:
    converter = LatexNodes2Text(math_mode="verbatim", keep_comments=False)
    return [converter.latex_to_text(paper) for paper in papers]


def _alike(ours: list[str], theirs: list[str]) -> str:
    """The peer shows much that ours leaves out, such as pictures and footnotes: most of its words must be in ours."""
    found = {word for text in ours[: len(theirs)] for word in text.split()}
    wanted = {word for text in theirs for word in text.split() if word.isalpha()}
    share = len(wanted & found) / max(1, len(wanted))
    if share < WORDS:
        raise DisagreementError(f"{share:.1%} of the peer's words")
    return f"{share:.1%} of its words"
