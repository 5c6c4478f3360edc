"""The texts of `heuristics.py`, and the part of them that datatrove judges in a process of its own."""

import json
import random
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.parity.environment import required

ROOT = Path(__file__).parents[2]
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


def texts_of(files: Sequence[str | Path]) -> Iterator[str]:
    """The texts of JSON lines and Parquet files, and what our extractor makes of the pages of web archives."""
    from benchmarks.parity.texts import read

    yield from read([str(file) for file in files], None).column("text").to_pylist()


def spread_over(texts: pa.Array, megabytes: float) -> pa.Array:
    """About as much text as stated, of documents spread evenly over all."""
    sizes = pc.binary_length(texts)
    step = max(1, round(pc.sum(sizes).as_py() / 1e6 / megabytes))
    return texts.take(pa.array(range(step // 2, len(texts), step), pa.int64()))


def peer_speeds(python: Path, texts: pa.Array, megabytes: float) -> dict[str, dict[str, float]]:
    """Words -> part -> MB per second of datatrove's filters, on the texts that `spread_over` draws."""
    drawn = spread_over(texts, megabytes)
    size = pc.sum(pc.binary_length(drawn)).as_py() / 1e6
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "texts.parquet")
        pq.write_table(pa.table({"text": drawn}), file)
        for words in WORDS:
            command = [
                str(required(python)),
                "-m",
                "benchmarks.heuristics.peer",
                str(file),
                "--words",
                words,
            ]
            output = subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout
            seconds = json.loads(output.splitlines()[-1])
            found[words] = {name: size / one for name, one in seconds.items()}
    return found
