"""Prints how well our rule sets and datatrove's agree on the same texts, limit by limit, with every difference.

    python -m benchmarks.datatrove            once: sets up datatrove
    python -m benchmarks parity.verdicts [FILES …] [--documents 2000]

Ours run in the variant `datatrove`. Both sides use the same word splitter, the same language model and datatrove's URL
lists. Our resiliparse reads archives. URLs are those of the documents and, because the lists name hardly any URL of a
crawl, made-up ones. `url_spellings` are spellings of listed URLs that datatrove does not recognize by design; only
their causes count. Verdicts are compared for each limit, whatever the others say, and for each rule set.

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
from benchmarks.parity.compare import Agreement, Difference, causes_of, compare
from curation.models.fasttext.classifier import EMBEDDED, locate

OF_LANGUAGE = ("language", "language_english")
ON_TEXTS = ("gopher_quality", "gopher_repetition", "c4_quality", "c4_fineweb", "fineweb_quality", *OF_LANGUAGE)
ON_URLS = ("url_blocklist", "url_spellings")
MAX_DIFFERENT = 0.01  # of the documents that either side drops
MIN_SAME_LANGUAGE = 0.995  # of all documents
HELD_TO_TARGET = (*(name for name in ON_TEXTS if name not in OF_LANGUAGE), "url_blocklist")

Comparison = tuple[list[Agreement], list[Difference]]


def both(python: Path, documents: pa.Table, names: Sequence[str], folder: Path, processes: int) -> Comparison:
    texts_file = folder / "texts.parquet"
    verdicts = folder / "verdicts.parquet"
    pq.write_table(documents, texts_file)
    options = ("--filters", ",".join(names), "--model", locate(EMBEDDED), "--processes", processes)
    environment.run(python, "parity.child", texts_file, verdicts, *options, cache=folder)
    theirs = pq.read_table(verdicts)
    judged = ours.judge_all(names, documents, folder)
    pairs = [compare(name, documents, theirs, judged[name]) for name in names]
    return [line for lines, _ in pairs for line in lines], [row for _, rows in pairs for row in rows]


def compared(
    python: Path, patterns: Sequence[str], limit: int | None, only: Sequence[str], processes: int
) -> Comparison:
    documents = data.read(patterns, limit)
    lines = []
    differences = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts = [([rule_set for rule_set in ON_TEXTS if rule_set in only], documents, processes)]
        if set(ON_URLS) & set(only):
            environment.run(python, "parity.lists", folder, cache=folder)
            real = [url for url in documents.column("url").to_pylist() if url]
            urls = {
                "url_blocklist": addresses.table([*real, *addresses.plain(folder).column("url").to_pylist()]),
                "url_spellings": addresses.odd(folder),
            }
            # One process, because the lists take much memory.
            parts += [([rule_set], urls[rule_set], 1) for rule_set in ON_URLS if rule_set in only]
        for names, table, workers in parts:
            if names:
                more_lines, more_differences = both(python, table, names, folder, workers)
                lines += more_lines
                differences += more_differences
    return lines, differences


def missed(lines: Sequence[Agreement], differences: Sequence[Difference]) -> list[str]:
    """What misses the target, in words."""
    shares = [
        f"{line.name}: verdicts differ on {line.share_of_dropped:.1%} of what either side drops"
        for line in lines
        if line.name in HELD_TO_TARGET and line.share_of_dropped > MAX_DIFFERENT
    ]
    shares += [
        f"{line.name}: verdicts are the same on {line.same_verdict:.2%} of the documents"
        for line in lines
        if line.name in OF_LANGUAGE and line.same_verdict < MIN_SAME_LANGUAGE
    ]
    unexplained = causes_of([row for row in differences if row.cause == UNEXPLAINED])
    return shares + [f"{name}: {total} differences not explained" for name, _, total, _ in unexplained]


def tables(lines: Sequence[Agreement], differences: Sequence[Difference]) -> Iterator[Figures]:
    verdicts = {
        line.name: {
            "documents": line.documents,
            "dropped: datatrove": line.dropped_by_datatrove,
            "ours": line.dropped_by_us,
            "verdicts differ": line.disagreements,
            "of dropped": f"{line.share_of_dropped:.2%}",
            "same": f"{line.same_verdict:.2%}",
            "max |Δ|": line.largest_difference,
            "Δ > 1e-6": line.signals_that_differ or None,
        }
        for line in lines
    }
    yield Figures("datatrove's verdicts and ours", verdicts)
    causes = {
        f"{name}: {why}": {"differences": total, "of them verdicts": count}
        for name, why, total, count in causes_of(differences)
    }
    yield Figures("why they differ", causes)
    each = {
        f"{number}: {row.name}": {
            "document": row.url or row.doc_id[:12],
            "datatrove": row.datatrove,
            "ours": row.ours,
            "cause": row.cause,
        }
        for number, row in enumerate(row for row in differences if row.verdicts_differ)
    }
    yield Figures("every verdict that differs", each)


def run(options: argparse.Namespace) -> Iterator[Case | Figures]:
    python = environment.required(options.python)
    files = options.files or data.default_paths()
    lines, differences = compared(python, files, options.documents, options.only.split(","), options.processes)
    yield from tables(lines, differences)

    def within(*_: object) -> str:
        misses = missed(lines, differences)
        if misses:
            raise DisagreementError("; ".join(misses))
        return "everything is within the target"

    yield Case(name="target", ours=list, peer=list, called="datatrove", agree=within, amounts={"comparisons": 1})


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", help="default: the test data beside this checkout")
    parser.add_argument("--python", type=Path, default=environment.python_of(environment.FOLDER), help="of datatrove")
    parser.add_argument("--documents", type=int, help="so many of the texts, evenly spread; default: all")
    parser.add_argument("--only", default=",".join((*ON_TEXTS, *ON_URLS)), help="rule sets, separated by commas")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="for datatrove")
