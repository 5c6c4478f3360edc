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
from curation.engine.executor.on_ray import OnRay

WORDS = ("spacy", "whitespace")
TARGETS = {"ratio": 10.0, "exponent": 1.05}
WALL = "documents_per_second"
CPU = "documents_per_cpu_second"


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
                start_up = run_stage(warm, executor, self._tree, self._options.verify)
            for size in sizes:
                corpus = self.corpus(size)
                runs[size] = without(run_stage(corpus, executor, self._tree, self._options.verify), start_up)
                texts = described(corpus)
                shutil.rmtree(corpus.folder)
        return start_up, runs, texts

    def theirs(self, words: str, documents: int) -> dict[str, Any]:
        warm, full = (self.corpus(size) for size in (self._options.warm, documents))
        started = self._peer(words, warm)
        self._tree.peak_bytes()
        figures = self._peer(words, full)
        figures["peak_memory_bytes"] = self._tree.peak_bytes()
        return without(figures, started)

    def _peer(self, words: str, corpus: Corpus) -> dict[str, Any]:
        output = corpus.folder / f"datatrove-{next(self._numbers)}"
        options = {"folder": corpus.texts.absolute(), "output": output.absolute()}
        cpu = self._tree.cpu_seconds()
        found = environment.run(
            self._options.python, "minhash.deduplicate", **options, workers=self._options.workers, words=words
        )
        shutil.rmtree(output)
        dropped = np.zeros(corpus.mix.documents, bool)
        dropped[found["removed"]] = True
        spent = {"wall_seconds": sum(found["steps"].values()), "cpu_seconds": self._tree.cpu_seconds() - cpu}
        return {"documents": corpus.mix.documents, **spent, **rightness(corpus.planned, dropped)}


def without(run: dict[str, Any], start_up: dict[str, Any]) -> dict[str, Any]:
    """The run with its cost beyond start-up; the whole of it where it took no longer than that."""
    spent = [run[name] - start_up[name] for name in ("documents", "wall_seconds", "cpu_seconds")]
    if min(spent) <= 0:
        spent = [run[name] for name in ("documents", "wall_seconds", "cpu_seconds")]
    documents, seconds, cpu = spent
    return {**run, "seconds": seconds, "cpu": cpu, WALL: documents / seconds, CPU: documents / cpu}


def described(corpus: Corpus) -> str:
    mix = corpus.mix
    written = corpus.written
    near, far = (f"{low:.2f} to {high:.2f}" for low, high in (written.near_likeness, written.far_likeness))
    families = np.sort(np.bincount(corpus.planned.family))[::-1]
    return (
        f"{mix.documents:,} documents of {written.text_bytes / mix.documents:,.0f} bytes: {mix.exact:.0%} exact "
        f"copies, {mix.near:.0%} near ones (likeness {near}), {mix.far:.0%} far ones (likeness {far}); "
        f"{np.count_nonzero(families):,} families, the largest of {', '.join(f'{size:,}' for size in families[:5])}"
    )


def ratios(whole: dict[str, Any], same: dict[str, Any], peer: dict[str, Any]) -> dict[str, float]:
    """How many times as fast ours is, on all documents and on the peer's, by the clock and by CPU time."""
    return {
        "ratio": whole[WALL] / peer[WALL],
        "ratio_same": same[WALL] / peer[WALL],
        "ratio_cpu": whole[CPU] / peer[CPU],
    }


def exponent(documents: Sequence[int], seconds: Sequence[float]) -> float:
    """The slope of the line through the logarithms: 1 where twice the documents cost twice as much."""
    slope, _ = np.polyfit(np.log(documents), np.log(seconds), 1)
    return float(slope)


def run(options: argparse.Namespace) -> Iterator[Figures]:
    peer_documents = [options.peer_documents] if options.peer_documents else []
    sizes = sorted({options.documents, *options.scale, *peer_documents})
    if sizes[0] <= options.warm:
        raise SystemExit(f"{sizes[0]} documents are no more than the {options.warm} of the start-up; see --warm")
    if options.work:
        options.work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="dedup-", dir=options.work) as folder, ProcessTree() as tree:
        bench = Bench(Path(folder), options, tree)
        start_up, runs, texts = bench.ours(sizes)
        notes = [texts]
        scaled = [runs[size] for size in sizes if size in options.scale]
        for name, key in (("wall", "seconds"), ("CPU", "cpu")) if len(scaled) > 1 else ():
            slope = exponent([run["documents"] - options.warm for run in scaled], [run[key] for run in scaled])
            notes.append(f"{name} time by documents, exponent: {slope:.3f} (target: at most {TARGETS['exponent']})")
        seconds = f"start-up, {start_up['wall_seconds']:.1f} s, is taken off"
        rows = {f"{size:,}": _row(one) for size, one in runs.items()}
        yield Figures(f"winnow's MinHash stage, {options.workers} cores; {seconds}", rows, tuple(notes))
        yield Figures("steps of the last", runs[sizes[-1]]["steps"])
        whole = runs[options.documents]
        for same in peer_documents:
            peers = {words: bench.theirs(words, same) for words in options.words}
            rows = {words: _row(peer | ratios(whole, runs[same], peer)) for words, peer in peers.items()}
            yield Figures(f"datatrove's four steps (target of the ratio: {TARGETS['ratio']:.0f})", rows)


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
    environment.add_python_option(parser)
    parser.add_argument("--work", type=Path, help="folder for the files meanwhile; default: the system's")
