"""Speed of looking for the items of evaluation sets on one core, beside a plain Python set and datatrove's filter.

Texts are the pages of ../shared/data/web through our extractor, sets those of ../shared/data/benchmarks. Timed are the
filter's methods with all sets, `llama` with one set and with half of them, a plain Python set of tuples of 13 words
(str.lower().split(), one look-up per word), and datatrove's NGramsDecontFilter on a tenth of the pages. Every page that
holds a run of words of the plain set must have an overlap by `llama`.
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
from benchmarks.data import amounts, batches_of, rows_of, shared, texts_in
from benchmarks.datatrove import timings
from curation.filters.contamination import Contamination
from curation.fit.evalsets import Evalsets
from curation.models.evalsets.index import load
from curation.models.evalsets.sets import EvalSet

SIZE = 13
METHODS: tuple[Literal["gpt3", "palm", "llama", "decon"], ...] = ("gpt3", "palm", "llama", "decon")
PLAIN = "llama"  # the method that is compared with the plain set


def evaluation_sets() -> dict[str, EvalSet]:
    """Name -> set, of each file; the longest answer that a set has is its answer."""
    sets: dict[str, EvalSet] = {}
    for path in sorted(shared("benchmarks").glob("*.jsonl.gz")):
        fields = {field for row in rows_of(path) for field in row}
        answer = next((field for field in ("solution", "answer", "answer_index") if field in fields), "")
        choices = "choices" if "choices" in fields else ()
        sets[path.name.partition(".")[0]] = EvalSet(files=str(path), answer=answer, choices=choices, id="id")
    return sets


def write_index(folder: Path, sets: dict[str, EvalSet]) -> str:
    """The path of the index's main file, which lies in a new folder."""
    folder.mkdir()
    fit = Evalsets(sets=sets)
    for name, content in fit.index({name: [str(one.files)] for name, one in sets.items()}).items():
        (folder / name).write_bytes(content)
    return str(folder / fit.asset)


def plain_set(items: pa.Table) -> set[tuple[str, ...]]:
    """Tuples of words, as someone would write it."""
    known: set[tuple[str, ...]] = set()
    for row in items.to_pylist():
        known.update(runs(f"{row['question']} {row['answer']}"))
    return known


def runs(text: str) -> Iterator[tuple[str, ...]]:
    words = text.lower().split()
    return (tuple(words[at : at + SIZE]) for at in range(len(words) - SIZE + 1))


def found_in(known: set[tuple[str, ...]], text: str) -> bool:
    return sum(run in known for run in runs(text)) > 0


def all_found(ours: list[Any], theirs: list[bool]) -> str:
    overlap = np.concatenate([np.asarray(signals["overlap"]) for signals in ours]) > 0
    missed = int((np.array(theirs) & ~overlap).sum())
    if missed:
        raise DisagreementError(f"{missed} of the {sum(theirs)} pages that the plain set finds have no overlap")
    return f"the {sum(theirs)} pages that the plain set finds are among {overlap.sum():,}"


def run(options: argparse.Namespace) -> Iterator[Case]:
    pages = texts_in([shared("web", "pages-public*.warc.gz")], options.documents)
    few = pages.take(list(range(0, len(pages), 10)))
    sets = evaluation_sets()
    chosen = {"all sets": sets, "half of the sets": dict([*sets.items()][::2]), "one set": {"gsm8k": sets["gsm8k"]}}
    with tempfile.TemporaryDirectory() as folder:
        for label, some in chosen.items():
            file = write_index(Path(folder, label), some)
            for method in METHODS if some is sets else (PLAIN,):
                made = Contamination(evalsets=file, method=method)
                case: dict[str, Any] = {
                    "name": f"{method}, {label}",
                    "ours": over(made.measure, batches_of(pages)),
                    "amounts": amounts(pages),
                }
                if method != PLAIN or some is not sets:
                    yield Case(**case)
                    continue
                items = load(file).items.select(["question", "answer"])
                search = over(partial(found_in, plain_set(items)), pages.to_pylist())
                yield Case(**case, peer=search, called="a Python set", agree=all_found)
                if options.datatrove:
                    for name, peer in timings(options.datatrove, "decontamination", few, items).items():
                        yield Case(**case, peer=peer, called=name, peer_amounts=amounts(few))


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--datatrove", type=Path, metavar="PYTHON", help="python of an environment with datatrove")
    parser.add_argument("--documents", type=int, help="so many pages, spread evenly; default: all")
