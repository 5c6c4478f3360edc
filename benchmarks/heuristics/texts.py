"""The texts that text rules, rewriters and signatures are timed on, and datatrove's speed on a part of them."""

import argparse
import json
import random
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.parity import environment

WORDS = ("whitespace", "spacy")


def seeded_texts(documents: int, seed: int) -> Iterator[str]:
    """Texts of about 5 kB in paragraphs and lines, their words drawn as unevenly as those of a language."""
    draw = random.Random(seed)
    letters = "etaoinshrdlucmfwypvbgk"
    words = ["".join(draw.choices(letters, k=1 + min(rank // 20, draw.randint(1, 9)))) for rank in range(20_000)]
    weights = [1 / (rank + 2) for rank in range(len(words))]
    for _ in range(documents):
        drawn = iter(draw.choices(words, weights, k=draw.randint(100, 1700)))
        lines: list[str] = []
        while line := [word for word, _ in zip(drawn, range(draw.randint(5, 60)), strict=False)]:
            lines.append(" ".join(line) + draw.choice([".\n", ".\n\n", "\n"]))
        yield "".join(lines)


def add_text_options(parser: argparse.ArgumentParser, *, repeats: int) -> None:
    """Adds the options that say which texts are timed, how often, and against which datatrove."""
    parser.add_argument("files", nargs="*", help="paths or globs of texts or pages")
    parser.add_argument("--documents", type=int, default=2000, help="seeded texts, if no files are given")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=repeats, help="rounds; the fastest one counts")
    parser.add_argument("--datatrove", type=Path, metavar="PYTHON", help="python of an environment with datatrove")


def texts_from(files: Sequence[str | Path], options: argparse.Namespace) -> pa.Array:
    """large_string[N]: the texts of these files or, without files, seeded ones."""
    texts = texts_of(files) if files else list(seeded_texts(options.documents, options.seed))
    return pa.array(texts, pa.large_string())


def texts_of(files: Sequence[str | Path]) -> list[str]:
    """The texts of JSON lines and Parquet files, and what our extractor makes of the pages of web archives."""
    from benchmarks.parity.texts import read

    texts: list[str] = read([str(file) for file in files], None).column("text").to_pylist()
    return texts


def megabytes_of(texts: pa.Array) -> float:
    """10^6 bytes of UTF-8."""
    return float(pc.sum(pc.binary_length(texts)).as_py()) / 1e6


def spread_over(texts: pa.Array, megabytes: float) -> pa.Array:
    """About as much text as stated, of documents spread evenly over all."""
    step = max(1, round(megabytes_of(texts) / megabytes))
    return texts.take(pa.array(range(step // 2, len(texts), step), pa.int64()))


def peer_speeds(python: Path, texts: pa.Array, megabytes: float) -> dict[str, dict[str, float]]:
    """Words -> part -> MB per second of datatrove's filters, on the texts that `spread_over` draws."""
    drawn = spread_over(texts, megabytes)
    size = megabytes_of(drawn)
    speeds = {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "texts.parquet")
        pq.write_table(pa.table({"text": drawn}), file)
        for words in WORDS:
            printed = environment.run(python, "heuristics.peer", file, "--words", words)
            by_filter = json.loads(printed.splitlines()[-1])
            speeds[words] = {name: size / seconds for name, seconds in by_filter.items()}
    return speeds
