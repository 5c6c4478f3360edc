"""The whole MinHash stage, signatures to verdicts, over texts with known duplicates, beside datatrove's four steps.

    python -m benchmarks.datatrove                       once: sets up datatrove
    python -m benchmarks dedup.minhash                   1,000,000 documents on 2 cores, about 7 GB of disk
    python -m benchmarks dedup.minhash --scale 200000 500000 1000000 2000000

`texts.py` makes the texts. Ours runs through Ray. The documents are read and sealed first; then the time, memory and
disk of the dedup stage are measured. Memory is that of all processes together (`process_tree.py`). Start-up is measured
by the same stage over --warm documents, after processes have started and kernels are loaded. Its seconds and documents
are subtracted from those of each run. If a run takes no longer than the start-up, nothing is subtracted.

datatrove would take hours over all documents, so it runs over --peer-documents of them, made in the same way, and ours
runs over these too. It reads the same Parquet files and writes Parquet, with as many workers, once with spaCy's words,
its default, and once with those of `str.split` (--words). spaCy caches words, so invented ones cost most at first. Its
start-up is measured and subtracted in the same way.

Ratios are of our rate on all documents to theirs, of ours on the same documents, and by CPU time.
"""

import argparse
import json
import math
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import datatrove as environment
from benchmarks.case import Figures
from benchmarks.dedup.stage import Corpus, make_corpus, rightness, run_stage
from benchmarks.dedup.texts import Mix
from benchmarks.pipeline.process_tree import ProcessTree
from curation.engine.executor.executor import Executor
from curation.engine.executor.on_ray import OnRay

LIMIT_BYTES = 8 << 30
WORDS = ("spacy", "whitespace")
TARGETS = {"ratio": 10.0, "exponent": 1.05, "limit_bytes": LIMIT_BYTES}


class Bench:
    """Corpora in a folder of their own each, and both sides' runs over them."""

    def __init__(self, folder: Path, options: argparse.Namespace, tree: ProcessTree) -> None:
        self._folder = folder
        self._options = options
        self._tree = tree
        self._numbers = count()

    def corpus(self, documents: int) -> Corpus:
        options = self._options
        mix = Mix(documents=documents, words=options.words_per_document, seed=options.seed)
        per_file = min(options.per_file, math.ceil(documents / (2 * options.workers)))  # work for all of them
        return make_corpus(mix, self._folder / f"corpus-{next(self._numbers)}", per_file)

    def ours(self, sizes: Sequence[int]) -> tuple[dict[str, Any], dict[int, dict[str, Any]], str]:
        """Figures of the warm stage and of each size, and the texts of the largest."""
        runs = {}
        texts = ""
        with OnRay(cpus=self._options.workers) as executor:
            warm = self.corpus(self._options.warm)
            for _ in range(2):  # the first time to start processes and load kernels
                start_up = self._run(warm, executor)
            for size in sizes:
                corpus = self.corpus(size)
                runs[size] = without(self._run(corpus, executor), start_up)
                texts = described(corpus)
                shutil.rmtree(corpus.folder)
        return start_up, runs, texts

    def _run(self, corpus: Corpus, executor: Executor) -> dict[str, Any]:
        return run_stage(corpus, executor, self._tree, self._options.verify)

    def theirs(self, words: str, documents: int) -> dict[str, Any]:
        warm, full = (self.corpus(size) for size in (self._options.warm, documents))
        started = self._peer(words, warm)
        self._tree.peak_bytes()
        figures = self._peer(words, full)
        peak = self._tree.peak_bytes()
        dropped = np.zeros(documents, bool)
        dropped[figures.pop("removed")] = True
        figures |= {"documents": documents, "peak_memory_bytes": peak, **rightness(full.planned, dropped)}
        return without(figures, {**started, "documents": self._options.warm})

    def _peer(self, words: str, corpus: Corpus) -> dict[str, Any]:
        output = corpus.folder / f"datatrove-{next(self._numbers)}"
        options = ("--workers", self._options.workers, *(["--whitespace"] if words == "whitespace" else []))
        cpu = self._tree.cpu_seconds()
        printed = environment.run(
            self._options.python, "dedup.peer", corpus.texts.absolute(), output.absolute(), *options
        )
        shutil.rmtree(output)
        figures: dict[str, Any] = json.loads(printed.splitlines()[-1])
        wall = sum(figures["steps"].values())
        return {**figures, "wall_seconds": wall, "cpu_seconds": self._tree.cpu_seconds() - cpu}


def without(run: dict[str, Any], start_up: dict[str, Any]) -> dict[str, Any]:
    """The run with its cost beyond start-up; the whole of it where it took no longer than that."""
    documents = run["documents"] - start_up["documents"]
    seconds, cpu = (run[name] - start_up[name] for name in ("wall_seconds", "cpu_seconds"))
    if seconds <= 0 or cpu <= 0:
        documents = run["documents"]
        seconds = run["wall_seconds"]
        cpu = run["cpu_seconds"]
    rates = {"documents_per_second": documents / seconds, "documents_per_cpu_second": documents / cpu}
    return {**run, "start_up_seconds": start_up["wall_seconds"], "seconds": seconds, "cpu": cpu, **rates}


def described(corpus: Corpus) -> str:
    mix = corpus.mix
    near, far = (
        f"{low:.2f} to {high:.2f}" for low, high in (corpus.written.near_likeness, corpus.written.far_likeness)
    )
    largest = np.sort(np.bincount(corpus.planned.family))[::-1][:5]
    return (
        f"{mix.documents:,} documents of {corpus.written.text_bytes / mix.documents:,.0f} bytes: {mix.exact:.0%} exact "
        f"copies, {mix.near:.0%} near ones (likeness {near}), {mix.far:.0%} far ones (likeness {far}); "
        f"{corpus.planned.families:,} families, the largest of {', '.join(f'{size:,}' for size in largest)}"
    )


def ratios(whole: dict[str, Any], same: dict[str, Any], peer: dict[str, Any]) -> dict[str, float]:
    """How many times as fast ours is, on all documents and on the peer's, by the clock and by CPU time."""
    wall = "documents_per_second"
    cpu = "documents_per_cpu_second"
    return {
        "ratio": whole[wall] / peer[wall],
        "ratio_same": same[wall] / peer[wall],
        "ratio_cpu": whole[cpu] / peer[cpu],
    }


def exponent(documents: Sequence[int], seconds: Sequence[float]) -> float:
    """The slope of the line through the logarithms: 1 where twice the documents cost twice as much."""
    slope, _ = np.polyfit(np.log(documents), np.log(seconds), 1)
    return float(slope)


def run(options: argparse.Namespace) -> Iterator[Figures]:
    sizes = sorted({options.documents, *options.scale, *([options.peer_documents] if options.peer_documents else [])})
    if sizes[0] <= options.warm:
        raise SystemExit(f"{sizes[0]} documents are no more than the {options.warm} of the start-up; see --warm")
    if options.work:
        Path(options.work).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="dedup-", dir=options.work) as folder, ProcessTree() as tree:
        bench = Bench(Path(folder), options, tree)
        start_up, runs, texts = bench.ours(sizes)
        words = options.words if options.peer_documents else ()
        peers = {name: bench.theirs(name, options.peer_documents) for name in words}
    scaled = [runs[size] for size in sizes if size in options.scale] if len(set(options.scale)) > 1 else []
    notes = [texts]
    for name, key in (("wall", "seconds"), ("CPU", "cpu")) if scaled else ():
        slope = exponent([run["documents"] - options.warm for run in scaled], [run[key] for run in scaled])
        notes.append(f"{name} time by documents, exponent: {slope:.3f} (target: at most {TARGETS['exponent']})")
    title = f"winnow's MinHash stage, {options.workers} cores; start-up, {start_up['wall_seconds']:.1f} s, is taken off"
    yield Figures(title, {f"{size:,}": _row(one) for size, one in runs.items()}, tuple(notes))
    last = runs[sizes[-1]]
    yield Figures("steps of the last", last["steps"])
    yield Figures("its files, bytes", {kind: {"bytes": size} for kind, size in last["bytes_by_kind"].items()})
    for peer in peers.values():
        peer |= ratios(runs[options.documents], runs[options.peer_documents], peer)
    if peers:
        title = f"datatrove's four steps (target of the ratio: {TARGETS['ratio']:.0f})"
        yield Figures(title, {name: _row(peer) for name, peer in peers.items()})


def _row(figures: dict[str, Any]) -> dict[str, Any]:
    """What is one number; memory and files are in bytes."""
    return {name: value for name, value in figures.items() if isinstance(value, int | float)}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--scale", type=int, nargs="+", default=[], help="more sizes; of these the exponent")
    parser.add_argument("--words-per-document", type=int, default=200, help="mean; about 6 bytes each")
    parser.add_argument("--per-file", type=int, default=50_000, help="documents of a file, which is a shard")
    parser.add_argument("--verify", choices=("signature", "exact"), default="signature", help="of ours")
    parser.add_argument("--warm", type=int, default=1000, help="documents of the run that measures start-up")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--peer-documents", type=int, default=100_000, help="that datatrove gets; 0: it does not run")
    parser.add_argument("--words", nargs="+", choices=WORDS, default=WORDS, help="datatrove's, for each a run")
    parser.add_argument("--python", type=Path, default=environment.python_of(environment.FOLDER), help="of datatrove")
    parser.add_argument(
        "--work", type=Path, help="where the files go meanwhile; default: the system's temporary folder"
    )
