"""N-gram models beside KenLM's: perplexity of held-out text, and the speed of training and scoring.

    python -m benchmarks learned.perplexity [FILES …] the books and other prose of the test data, or other files

KenLM's programs `lmplz` and `build_binary` must be on the PATH, its package `kenlm` installed. The programs are built
from the package's source (`pip download --no-binary kenlm --no-deps kenlm==0.3.0`, unpack it, `cmake -S . -B build` and
`cmake --build build`), which needs Boost (on Debian: cmake g++ libboost-all-dev zlib1g-dev).

Models are trained on the texts whose SHA-1 begins with an even byte and tested on the others, as lower-cased words
without accents (`ccnet`). A text of which a tenth of all runs of eight words stand in earlier ones is left out, since
Kneser-Ney's discounts fail on copies, as of books in two editions. lmplz gets the same lines. Its model and ours are
scored by our table; `kenlm` scores ours as well.

Speeds are in words per second of CPU time, of all threads. Ours goes from tokens to the ARPA file, the fastest of
`--repeats` rounds; lmplz is one run with 2 GB. "score" and "kenlm.score" are of held-out lines in the order 5 model
without pruning, the latter a call of `kenlm.Model.score` per line on KenLM's probing binary of the same model; "filter"
is all of the filter, normalization included.
"""

import argparse
import hashlib
import shutil
import subprocess
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.case import AbsentError, Case, DisagreementError, apart, cpu_seconds, package
from benchmarks.data import read, shared
from curation.filters.perplexity import Perplexity
from curation.models.ngram.arpa import read_arpa
from curation.models.ngram.counts import count, merge
from curation.models.ngram.estimate import BackoffModel, estimate
from curation.models.ngram.kenlm_binary import KenlmScorer, build_binary
from curation.models.ngram.model_file import file_of
from curation.models.ngram.reading import Reading
from curation.models.ngram.scoring import NgramScorer, Scores

FILES = ("books.jsonl.gz", "encyclopedia.jsonl.gz", "qa.jsonl.gz", "science.parquet", "speeches.jsonl.gz")
MODELS = {"3": (3, ()), "3-pruned": (3, (0, 0, 1)), "5": (5, ()), "5-pruned": (5, (0, 0, 1, 1, 2))}
READING = Reading(normalization="ccnet")
# words of a run, one run in so many is looked at, share in earlier texts
RUN = 8
SAMPLED = 32
MOST_KNOWN = 0.1
BATCH = 200  # texts counted at a time
NEAR = 1e-4  # of a line's logarithms


def halves(texts: Iterable[str]) -> tuple[pa.Array, pa.Array]:
    """Texts to train on and to test on, without copies."""
    parts: tuple[list[str], list[str]] = ([], [])
    seen: set[int] = set()
    for text in texts:
        runs = sampled_runs(text)
        known = len(runs & seen)
        seen |= runs
        if known <= MOST_KNOWN * len(runs):
            parts[hashlib.sha1(text.encode()).digest()[0] % 2].append(text)
    training, held_out = (pa.array(part, pa.large_string()) for part in parts)
    return training, held_out


def sampled_runs(text: str) -> set[int]:
    """Hashes of some of the text's runs of words, the same ones in each text that has them."""
    words = "".join(char if char.isalnum() else " " for char in text.lower()).encode().split()
    hashes = (zlib.crc32(b" ".join(words[k : k + RUN])) for k in range(len(words) - RUN + 1))
    return {value for value in hashes if value % SAMPLED == 0}


def lines_of(tokens: pa.Array) -> list[bytes]:
    """The lines that are not blank."""
    texts = tokens.view(pa.large_binary()).to_pylist()
    return [line for text in texts for line in text.split(b"\n") if line.split()]


def trained(tokens: pa.Array, order: int, prune: tuple[int, ...], file: Path) -> BackoffModel:
    """Our model, also written to `file`."""
    parts = [count(tokens.slice(first, BATCH), order) for first in range(0, len(tokens), BATCH)]
    model = estimate([merge(parts)], prune)
    with file.open("wb") as out:
        out.writelines(file_of(model, READING, prune=prune))
    return model


def lmplz(lines: list[bytes], order: int, prune: tuple[int, ...], file: Path) -> Path:
    """Writes lmplz's model to `file`."""
    if not shutil.which("lmplz"):
        raise AbsentError("no lmplz on the PATH; the docstring of this benchmark says how it is built")
    text = file.with_suffix(".txt")
    text.write_bytes(b"\n".join(lines) + b"\n")
    command = ["lmplz", "-o", str(order), "-S", "2G", "-T", str(file.parent), "--skip_symbols"]
    command += ["--prune", *map(str, prune)] if prune else []
    done = subprocess.run([*command, "--text", str(text), "--arpa", str(file)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"lmplz failed:\n{done.stderr[-2000:]}")
    return file


def perplexity(scores: Scores) -> float:
    return float(10 ** (-scores.logarithms.sum() / scores.tokens.sum()))


def training(name: str, tokens: pa.Array, held_out: pa.Array, folder: Path) -> Case:
    """From tokens to the ARPA file; ours is left in `folder`. Perplexities must be alike to 1 in 1,000."""
    order, prune = MODELS[name]
    lines = lines_of(tokens)

    def alike(ours: BackoffModel, theirs: Path) -> str:
        scorers = NgramScorer(ours), NgramScorer(read_arpa(theirs.read_bytes()))
        own, other = (perplexity(scorer.score(held_out)) for scorer in scorers)
        if abs(own / other - 1) > 1e-3:
            raise DisagreementError(f"perplexity {own:.2f} and {other:.2f}")
        return f"perplexity {own:.2f} and {other:.2f}, {sum(map(len, ours.rows)) / 1e6:.2f} M n-grams"

    return Case(
        name=f"train, {name}",
        ours=lambda: trained(tokens, order, prune, folder / f"{name}.arpa"),
        peer=lambda: lmplz(lines, order, prune, folder / f"{name}-lmplz.arpa"),
        called="lmplz",
        agree=alike,
        clock=cpu_seconds,
        amounts={"words": sum(len(line.split()) for line in lines)},
    )


def scoring(raw: pa.Array, held_out: pa.Array, file: Path) -> Iterator[Case]:
    """Held-out lines by the model in `file`: our table, KenLM's binary through the filter's reader, and the filter."""
    binary = file.with_suffix(".bin")
    lines = lines_of(held_out)
    rule_set = Perplexity(models=str(file))
    batch = pa.record_batch({"text": raw})

    def relative(ours: Scores, theirs: list[float]) -> str:
        return f"relative: {apart(ours.logarithms / np.array(theirs), np.ones(len(theirs)), NEAR)}"

    scorer = NgramScorer(read_arpa(file.read_bytes()))
    words = {"words": float(scorer.score(held_out).tokens.sum())}
    yield Case(name="the whole filter", ours=lambda: rule_set.measure(batch), amounts=words)
    yield Case(name="score", ours=partial(scorer.score, held_out), amounts=words)
    if not shutil.which("build_binary"):
        raise AbsentError("no build_binary on the PATH; the docstring of this benchmark says how it is built")
    build_binary(str(file), str(binary))
    library = package("kenlm").Model(str(binary))
    for name, own in {"score": scorer, "score KenLM's binary": KenlmScorer(str(binary))}.items():
        yield Case(
            name=name,
            ours=partial(own.score, held_out),
            peer=lambda: [library.score(line) for line in lines],
            called="kenlm.Model.score",
            peer_rounds=3,
            agree=relative if name == "score" else None,
            amounts=words,
        )


def run(options: argparse.Namespace) -> Iterator[Case]:
    files = options.files or [str(shared("text", name)) for name in FILES]
    texts, held_out = halves(read(files, options.documents).column("text").to_pylist())
    tokens = READING.tokens(texts)
    held_out_tokens = READING.tokens(held_out)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for model in MODELS:
            yield training(model, tokens, held_out_tokens, folder)
        yield from scoring(held_out, held_out_tokens, folder / "5.arpa")


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", help="files with texts; none: the test data beside this checkout")
    parser.add_argument("--documents", type=int, help="so many, spread evenly; default: all")
