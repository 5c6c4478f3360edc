"""N-gram models beside KenLM's: perplexity of held-out text, and the speed of training and scoring.

    python -m benchmarks.perplexity.environment          once: builds KenLM
    python -m benchmarks.perplexity                      the books and other prose of the test data
    python -m benchmarks.perplexity FILE …               .jsonl or .parquet files (also .gz and .zst)
    python -m benchmarks.perplexity --json figures.json  also write the figures

Models are trained on the texts whose SHA-1 begins with an even byte and tested on the others, as lower-cased words
without accents (`ccnet`). A text of which a tenth of all runs of eight words stand in earlier ones is left out, since
Kneser-Ney's discounts fail on copies, as of books in two editions. lmplz gets the same lines. Its model and ours are
scored by our table; `kenlm` scores ours as well.

Speeds are in words per second of CPU time, of all threads. Ours goes from tokens to the ARPA file, the fastest of
`--repeats` rounds; lmplz is one run with 2 GB. "score" and "kenlm.score" are of held-out lines in the order 5 model
without pruning, the latter a call of `kenlm.Model.score` per line on KenLM's probing binary of the same model; "filter"
is all of the filter, normalization included.

In the JSON file, for each model ("3", "3-pruned", "5", "5-pruned"): `words`, `ngrams`, `perplexity` and
`lmplz_perplexity`, `ratio` of the two, `kenlm_difference` (largest, of a line's log10 probability, relative), `train`
and `lmplz` words per second and `speed`, ours by theirs; and under "scoring" the speeds
`score`, `filter`, `binary` (KenLM's binary through the filter's reader), `kenlm_score` and `ratio`.
"""

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.table import Table

from benchmarks.parity.texts import read
from benchmarks.perplexity.environment import FOLDER, package_of, programs_of, required
from curation.filters.perplexity import Perplexity
from curation.models.ngram.arpa import read_arpa
from curation.models.ngram.counts import count, merge
from curation.models.ngram.estimate import BackoffModel, estimate
from curation.models.ngram.kenlm_binary import KenlmScorer, build_binary
from curation.models.ngram.model_file import file_of
from curation.models.ngram.reading import Reading
from curation.models.ngram.scoring import NgramScorer, Scores
from tests.support import SHARED

FILES = ("books.jsonl.gz", "encyclopedia.jsonl.gz", "qa.jsonl.gz", "science.parquet", "speeches.jsonl.gz")
MODELS = {"3": (3, ()), "3-pruned": (3, (0, 0, 1)), "5": (5, ()), "5-pruned": (5, (0, 0, 1, 1, 2))}
READING = Reading(normalization="ccnet")
# words of a run, one run in so many is looked at, share in earlier texts
RUN = 8
SAMPLED = 32
MOST_KNOWN = 0.1
BATCH = 200  # texts counted at a time
T = TypeVar("T")


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


def fastest(repeats: int, work: Callable[[], T]) -> tuple[T, float]:
    """The result, and the CPU seconds of the fastest round."""
    rounds = []
    for _ in range(repeats):
        start = time.process_time()
        result = work()
        rounds.append(time.process_time() - start)
    return result, min(rounds)


def trained(tokens: pa.Array, order: int, prune: tuple[int, ...], file: Path) -> BackoffModel:
    """Our model, also written to `file`."""
    parts = [count(tokens.slice(first, BATCH), order) for first in range(0, len(tokens), BATCH)]
    model = estimate([merge(parts)], prune)
    with file.open("wb") as out:
        out.writelines(file_of(model, READING, prune=prune))
    return model


def lmplz(program: Path, lines: list[bytes], order: int, prune: tuple[int, ...], file: Path) -> float:
    """Write lmplz's model to `file`. Returns its CPU seconds."""
    text = file.with_suffix(".txt")
    text.write_bytes(b"\n".join(lines) + b"\n")
    command = [str(program), "-o", str(order), "-S", "2G", "-T", str(file.parent), "--skip_symbols"]
    command += ["--prune", *map(str, prune)] if prune else []
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([*command, "--text", str(text), "--arpa", str(file)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"lmplz failed:\n{done.stderr[-2000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def perplexity(scores: Scores) -> float:
    return float(10 ** (-scores.logarithms.sum() / scores.tokens.sum()))


def compare(
    name: str, training: pa.Array, held_out: pa.Array, folder: Path, kenlm: Path, repeats: int
) -> dict[str, float]:
    """The figures of one model; ours is left in `folder`."""
    order, prune = MODELS[name]
    ours = folder / f"{name}.arpa"
    theirs = folder / f"{name}-lmplz.arpa"
    lines = lines_of(training)
    words = sum(len(line.split()) for line in lines)
    model, seconds = fastest(repeats, lambda: trained(training, order, prune, ours))
    their_seconds = lmplz(programs_of(kenlm) / "lmplz", lines, order, prune, theirs)
    scores = NgramScorer(model).score(held_out)
    their_scores = NgramScorer(read_arpa(theirs.read_bytes())).score(held_out)
    library = package(kenlm).Model(str(ours))
    difference = np.array([library.score(line) for line in lines_of(held_out)]) - scores.logarithms
    return {
        "words": words,
        "ngrams": sum(map(len, model.rows)),
        "perplexity": perplexity(scores),
        "lmplz_perplexity": perplexity(their_scores),
        "ratio": perplexity(scores) / perplexity(their_scores),
        "kenlm_difference": float(np.abs(difference / scores.logarithms).max()),
        "train": words / seconds,
        "lmplz": words / their_seconds,
        "speed": their_seconds / seconds,
    }


def scoring(raw: pa.Array, held_out: pa.Array, file: Path, kenlm: Path, repeats: int) -> dict[str, float]:
    """Words per second."""
    scorer = NgramScorer(read_arpa(file.read_bytes()))
    scores, seconds = fastest(repeats, lambda: scorer.score(held_out))
    words = float(scores.tokens.sum())
    rule_set = Perplexity(models=str(file))
    batch = pa.record_batch({"text": raw})
    rule_set.measure(batch)
    _, filter_seconds = fastest(repeats, lambda: rule_set.measure(batch))
    binary = file.with_suffix(".bin")
    os.environ["PATH"] = f"{programs_of(kenlm).absolute()}{os.pathsep}{os.environ['PATH']}"
    build_binary(str(file), str(binary))
    library = package(kenlm).Model(str(binary))
    lines = lines_of(held_out)
    through = KenlmScorer(str(binary))
    _, through_seconds = fastest(repeats, lambda: through.score(held_out))
    _, their_seconds = fastest(repeats, lambda: [library.score(line) for line in lines])
    return {
        "words": words,
        "score": words / seconds,
        "filter": words / filter_seconds,
        "binary": words / through_seconds,
        "kenlm_score": words / their_seconds,
        "ratio": their_seconds / seconds,
    }


def package(kenlm: Path) -> Any:
    """The Python package `kenlm`."""
    if str(package_of(kenlm)) not in sys.path:
        sys.path.append(str(package_of(kenlm)))
    import kenlm as library

    return library


def show(figures: dict[str, dict[str, float]]) -> None:
    table = Table("model", "n-grams", "perplexity", "lmplz's", "ratio", "words/s", "lmplz's", "speed")
    for name in MODELS:
        row = figures[name]
        table.add_row(
            name,
            f"{row['ngrams'] / 1e6:.2f} M",
            f"{row['perplexity']:.2f}",
            f"{row['lmplz_perplexity']:.2f}",
            f"{row['ratio']:.6f}",
            f"{row['train'] / 1e6:.2f} M",
            f"{row['lmplz'] / 1e6:.2f} M",
            f"{row['speed']:.2f}",
        )
    Console().print(table)
    row = figures["scoring"]
    Console().print(
        f"scoring: {row['score']:,.0f} words/s, the whole filter {row['filter']:,.0f}, KenLM's binary "
        f"{row['binary']:,.0f}, kenlm.Model.score "
        f"{row['kenlm_score']:,.0f}; ours by theirs {row['ratio']:.2f}; largest difference of a line, relative: "
        f"{max(figures[name]['kenlm_difference'] for name in MODELS):.1e}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.perplexity", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("files", nargs="*", help="files with texts; none: the test data beside this checkout")
    parser.add_argument("--kenlm", type=Path, default=FOLDER, help="folder that benchmarks.perplexity.environment made")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path, help="write the figures there too")
    options = parser.parse_args()
    kenlm = required(options.kenlm)
    files = options.files or [str(SHARED / "text" / name) for name in FILES]
    training, held_out = halves(read(files, None).column("text").to_pylist())
    tokens = READING.tokens(training)
    held_out_tokens = READING.tokens(held_out)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        figures = {model: compare(model, tokens, held_out_tokens, folder, kenlm, options.repeats) for model in MODELS}
        figures["scoring"] = scoring(held_out, held_out_tokens, folder / "5.arpa", kenlm, options.repeats)
    show(figures)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
