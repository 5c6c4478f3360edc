"""How fast the rewriters are on one core, beside datatrove's C4 filter with only its rules on lines, and ftfy.

Without files: seeded pages of invented words, with what a page's frame and a careless program leave in a text. The
peers see the same texts; with `--datatrove PYTHON` the fraction of documents in which `c4_lines` in the variant
`datatrove` leaves the same text is told. ftfy's `fix_text` has its default options, one document after the other.
"""

import argparse
import random
from collections.abc import Iterator

import pyarrow as pa
from ftfy import fix_text

from benchmarks.case import Case, DisagreementError, over
from benchmarks.data import add_text_options, amounts, batches_of, chosen_texts, seeded_texts
from benchmarks.datatrove import timings
from curation.rewrite.c4_lines import C4Lines
from curation.rewrite.refinedweb_lines import RefinedwebLines
from curation.rewrite.unicode import Unicode

LEAST_SAME = 0.99  # documents of which both leave the same text
ODD_LINES = (  # a page's frame, and what a careless program leaves in a text
    *("3 likes", "HOME NEWS CONTACT", "the story so far read more...", "We use cookies on this page.", "2024", ""),
    *(
        "It is so. [1][citation needed]",
        "“Quoted” — and naïve…",
        "voilÃ  le rÃ©sumÃ©",
        "cafe\u0301 au lait\r",
        "中文。",
    ),
)
REWRITERS = {
    "c4_lines": C4Lines(),
    "c4_lines (datatrove)": C4Lines(variant="datatrove"),
    "refinedweb_lines": RefinedwebLines(),
    "unicode": Unicode(),
    "unicode (straight)": Unicode(form="NFKC", straight_punctuation=True),
}


def seeded_pages(documents: int, seed: int) -> Iterator[str]:
    """The seeded texts, with one of ODD_LINES after every fifth line on average."""
    draw = random.Random(seed)
    for text in seeded_texts(documents, seed):
        lines = (f"{line}\n{draw.choice(ODD_LINES)}" if draw.random() < 0.2 else line for line in text.split("\n"))
        yield "\n".join(lines)


def same_text(ours: list[tuple[pa.Array, object]], theirs: list[str]) -> str:
    left = [text for rewritten, _ in ours for text in rewritten.to_pylist()]
    same = sum(a == b for a, b in zip(left, theirs, strict=True)) / len(theirs)
    if same < LEAST_SAME:
        raise DisagreementError(f"{same:.2%} of the texts are the same")
    return f"{same:.2%} of the texts are the same"


def run(options: argparse.Namespace) -> Iterator[Case]:
    seeded = not options.files and not options.shared
    pages = seeded_pages(options.documents, options.seed)
    texts = pa.array(pages, pa.large_string()) if seeded else chosen_texts(options)
    batches = batches_of(texts)
    rows = texts.to_pylist()
    peers = timings(options.datatrove, "c4_lines", texts) if options.datatrove else {}
    for name, part in REWRITERS.items():
        case = {"name": name, "ours": over(part.rewrite, batches), "amounts": amounts(texts)}
        if name == "unicode":
            case |= {"peer": over(fix_text, rows), "called": "ftfy", "packages": ("ftfy",)}
        if name.startswith("c4_lines") and peers:
            case |= {"peer": peers["c4_lines"], "called": "datatrove"}
            case |= {"agree": same_text} if name.endswith("(datatrove)") else {}
        yield Case(**case)


add_options = add_text_options
