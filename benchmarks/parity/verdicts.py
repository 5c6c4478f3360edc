"""Prints how well our rule sets and datatrove's agree on the same texts, limit by limit, with every difference.

    python -m benchmarks.datatrove            once: sets up datatrove
    python -m benchmarks parity.verdicts [FILES …] [--documents 2000]

Ours run in the variant `datatrove`; `pairs.py` has the pairs. Both sides use the same word splitter, the same language
model and datatrove's URL lists. Our resiliparse reads archives. URLs are those of the documents and, because the lists
name hardly any URL of a crawl, made-up ones. `url_spellings` are spellings of listed URLs that datatrove does not
recognize by design; only their causes count. Verdicts are compared for each limit, whatever the others say, and for
each rule set.

The target: each difference (of verdicts, of the remaining texts, and of signals by more than 1e-6) has a cause, and the
verdicts of a rule set differ on at most 1 % of the documents that either side drops. `language` reads only parts of a
text by design: its verdicts must be the same on 99.5 % of all documents. The exit status is 1 if the target is missed.
"""

import argparse
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import data
from benchmarks import datatrove as environment
from benchmarks.case import Case, DisagreementError, Figures
from benchmarks.parity import addresses, ours
from benchmarks.parity.causes import UNEXPLAINED
from benchmarks.parity.compare import Agreement, causes_of, compare
from benchmarks.parity.pairs import ON_TEXTS, ON_URLS, PAIRS
from curation.models.fasttext.classifier import EMBEDDED, locate


def both(python: Path, documents: pa.Table, names: Sequence[str], folder: Path, processes: int) -> list[Agreement]:
    texts = folder / "texts.parquet"
    output = folder / "verdicts.parquet"
    pq.write_table(documents, texts)
    options = {"texts": texts, "output": output, "names": names, "model": locate(EMBEDDED), "processes": processes}
    environment.run(python, "verdicts.judge", cache=folder, **options)
    theirs = pq.read_table(output)
    return [
        line
        for name in names
        for line in compare(name, PAIRS[name], documents, theirs, ours.judge(PAIRS[name], documents, folder))
    ]


def compared(options: argparse.Namespace) -> Iterator[Agreement]:
    python = environment.required(options.python)
    documents = data.read(options.files or data.default_paths(), options.documents)
    only = options.only.split(",")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        on_texts = [pair for pair in ON_TEXTS if pair in only]
        if on_texts:
            yield from both(python, documents, on_texts, folder, options.processes)
        if not set(ON_URLS) & set(only):
            return
        environment.run(python, "verdicts.write_lists", cache=folder, folder=folder)
        real = [url for url in documents.column("url").to_pylist() if url]
        urls = {
            "url_blocklist": addresses.table([*real, *addresses.plain(folder)]),
            "url_spellings": addresses.table(addresses.odd(folder)),
        }
        for pair in (pair for pair in ON_URLS if pair in only):
            yield from both(python, urls[pair], [pair], folder, 1)  # one process, because the lists take much memory


def missed(lines: Sequence[Agreement]) -> list[str]:
    """What misses the target, in words."""
    misses = []
    for line in lines:
        pair = PAIRS.get(line.name)
        if pair and pair.max_different is not None and line.share_of_dropped > pair.max_different:
            misses.append(f"{line.name}: verdicts differ on {line.share_of_dropped:.1%} of what either side drops")
        if pair and line.same_verdict < pair.least_same:
            misses.append(f"{line.name}: verdicts are the same on {line.same_verdict:.2%} of the documents")
        unexplained = sum(one.cause == UNEXPLAINED for one in line.differences)
        if unexplained:
            misses.append(f"{line.name}: {unexplained} differences not explained")
    return misses


def tables(lines: Sequence[Agreement]) -> Iterator[Figures]:
    verdicts = {
        line.name: {
            "documents": line.documents,
            "dropped: datatrove": line.dropped_by_datatrove,
            "ours": line.dropped_by_us,
            "verdicts differ": line.disagreements,
            "of dropped": f"{line.share_of_dropped:.2%}",
            "same": f"{line.same_verdict:.2%}",
            "max |Δ|": line.largest_difference,
        }
        for line in lines
    }
    yield Figures("datatrove's verdicts and ours", verdicts)
    causes = {
        f"{line.name}: {why}": {"differences": total, "of them verdicts": count}
        for line in lines
        for why, total, count in causes_of(line)
    }
    yield Figures("why they differ", causes)
    differing = [one for line in lines for one in line.differences if one.verdicts_differ]
    each = {
        f"{number}: {one.name}": {
            "document": one.url or one.doc_id[:12],
            "datatrove": one.datatrove,
            "ours": one.ours,
            "cause": one.cause,
        }
        for number, one in enumerate(differing)
    }
    yield Figures("every verdict that differs", each)


def run(options: argparse.Namespace) -> Iterator[Case | Figures]:
    lines = list(compared(options))
    yield from tables(lines)

    def within(*_: object) -> str:
        misses = missed(lines)
        if misses:
            raise DisagreementError("; ".join(misses))
        return "everything is within the target"

    yield Case(name="target", ours=list, peer=list, called="datatrove", agree=within, amounts={"comparisons": 1})


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", help="default: the test data beside this checkout")
    environment.add_python_option(parser)
    parser.add_argument("--documents", type=int, help="so many of the texts, evenly spread; default: all")
    parser.add_argument("--only", default=",".join(PAIRS), help="rule sets, separated by commas")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="for datatrove")
