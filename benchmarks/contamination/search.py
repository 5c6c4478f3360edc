"""Speed of looking for the items of evaluation sets on one core, beside a plain Python set and datatrove's filter.

Texts are the pages of ../shared/data/web through our extractor, sets those of ../shared/data/benchmarks. Timed are the
filter's methods with all sets, `llama` with one set and with half of them, a plain Python set of tuples of 13 words
(str.lower().split(), one look-up per word), and datatrove's NGramsDecontFilter on a tenth of the pages. `leaks` tells
what each method finds; here every page that holds a run of words of the plain set must have an overlap by `llama`.
"""

import argparse
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from benchmarks.case import Case, DisagreementError, over
from benchmarks.contamination.sets import chosen, index_of, web_pages
from benchmarks.data import amounts, batches_of
from benchmarks.datatrove import timings
from curation.filters.contamination import Contamination
from curation.models.evalsets.index import MAIN

SIZE = 13
METHODS: tuple[Literal["gpt3", "palm", "llama", "decon"], ...] = ("gpt3", "palm", "llama", "decon")
PLAIN = "llama"  # the method that is compared with the plain set


def plain_set(items: pa.Table) -> set[tuple[str, ...]]:
    """Tuples of words, as someone would write it."""
    known: set[tuple[str, ...]] = set()
    for row in items.select(["question", "answer"]).to_pylist():
        words = f"{row['question']} {row['answer']}".lower().split()
        known.update(tuple(words[at : at + SIZE]) for at in range(len(words) - SIZE + 1))
    return known


def found_in(known: set[tuple[str, ...]], text: str) -> bool:
    words = text.lower().split()
    return sum(tuple(words[at : at + SIZE]) in known for at in range(len(words) - SIZE + 1)) > 0


def all_found(ours: list[Any], theirs: list[bool]) -> str:
    overlap = np.concatenate([np.asarray(signals["overlap"]) for signals in ours]) > 0
    missed = int((np.array(theirs) & ~overlap).sum())
    if missed:
        raise DisagreementError(f"{missed} of the {sum(theirs)} pages that the plain set finds have no overlap")
    return f"the {sum(theirs)} pages that the plain set finds are among {overlap.sum():,}"


def run(options: argparse.Namespace) -> Iterator[Case]:
    pages = web_pages(options.documents)["text"].combine_chunks()
    rows = pages.to_pylist()
    batches = batches_of(pages)
    few = pages.take(list(range(0, len(pages), 10)))
    names = list(chosen())
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        for label, some in (("all sets", []), ("half of the sets", names[::2]), ("one set", ["gsm8k"])):
            index = index_of(folder / f"{len(some)}", some)
            for method in METHODS if not some else (PLAIN,):
                made = Contamination(evalsets=str(folder / f"{len(some)}" / MAIN), method=method)
                case: dict[str, Any] = {
                    "name": f"{method}, {label}",
                    "ours": over(made.measure, batches),
                    "amounts": amounts(pages),
                }
                if method == PLAIN and not some:
                    search = over(partial(found_in, plain_set(index.items)), rows)
                    yield Case(**case, peer=search, called="a Python set", agree=all_found)
                    if options.datatrove:
                        items = index.items.select(["question", "answer"])
                        for name, peer in timings(options.datatrove, "decontamination", few, items).items():
                            yield Case(**case, peer=peer, called=name, peer_amounts=amounts(few))
                else:
                    yield Case(**case)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--datatrove", type=Path, metavar="PYTHON", help="python of an environment with datatrove")
    parser.add_argument("--folder", type=Path, help="where indexes are kept; default: a new temporary folder")
    parser.add_argument("--documents", type=int, help="so many pages, spread evenly; default: all")
