"""How well `embedding` tells paraphrased and translated items from clean pages: recall and precision.

No set of paraphrases written by people is at hand: words swapped (every fourth pair) and words left out (every fifth)
stand in for them and are easier than real ones. Translations are real: questions of mgsm, whose items are those of
gsm8k in ten languages, looked for with an index of gsm8k alone. Each leak stands in the middle of a page of
../shared/data/web. The limit is the least one, in steps of 0.005, at which at most 1 in 100 clean pages of the first
half is named; items and pages of the table are of the other half. Precision is that of as many leaks as clean pages;
among a million pages with ten leaks it is near 0.
"""

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from benchmarks.case import Figures
from benchmarks.contamination.leaks import able, drawn
from benchmarks.contamination.planted import planted
from benchmarks.contamination.sets import chosen, index_of, web_pages
from curation.filters.contamination import Contamination
from curation.models.evalsets.index import MAIN
from curation.models.evalsets.sets import read_items

SETS = ("gsm8k", "mmlu", "hellaswag", "arc_challenge", "truthfulqa", "boolq", "piqa", "math")
KINDS = ("verbatim", "words swapped", "every 5th word gone", "cut in half")
ALARMS = 0.01  # of the clean pages of the first half
LEAST_QUESTION = 40  # characters


def cosines(made: Contamination, texts: list[str]) -> npt.NDArray[np.float64]:
    """float64[N]: the largest cosine of any piece of each text."""
    values = []
    for at in range(0, len(texts), 50):
        batch = pa.record_batch({"text": pa.array(texts[at : at + 50], pa.large_string())})
        values.append(np.asarray(made.measure(batch)["overlap"]))
    return np.concatenate(values)


def limit_of(clean: npt.NDArray[np.float64]) -> float:
    """The least limit at which no more than ALARMS of these pages are named."""
    steps = np.arange(0.5, 1.0001, 0.005)
    shares = (clean[None] > steps[:, None]).mean(axis=1)
    return float(steps[np.flatnonzero(shares <= ALARMS)[0]])


def translations(pages: list[str], half: int, per_language: int) -> dict[str, list[str]]:
    """Language -> pages with questions of mgsm, of one half of the rows."""
    fields = chosen(["mgsm"])["mgsm"]
    rows = read_items("mgsm", fields, [str(fields.files)]).to_pylist()
    made: dict[str, list[str]] = {}
    for row in rows:
        _, language, number = row["id"].split("/")
        texts = made.setdefault(f"translated: {language}", [])
        if int(number) % 2 == half and len(texts) < per_language:
            texts += planted([{**row, "choices": []}], pages[len(texts) :], 0)["verbatim"]
    return made


def run(options: argparse.Namespace) -> Iterator[Figures]:
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        index = index_of(folder / "some", SETS)
        _ = index_of(folder / "gsm8k", ["gsm8k"])
        both = {
            name: Contamination(
                evalsets=str(folder / name / MAIN), method="embedding", model=options.model, max_overlap=1.0
            )
            for name in ("some", "gsm8k")
        }
        pages = [text for text in web_pages()["text"].to_pylist() if 2000 < len(text) < 20_000]
        clean = [pages[half::2] for half in (0, 1)]
        limits = {name: limit_of(cosines(made, clean[0])) for name, made in both.items()}
        rows = [
            row for row in drawn(index, able(index, 8), options.per_set, 0, 1) if len(row["question"]) >= LEAST_QUESTION
        ]
        leaks = {kind: ("some", texts) for kind, texts in planted(rows, clean[1], 0).items() if kind in KINDS}
        leaks |= {kind: ("gsm8k", texts) for kind, texts in translations(clean[1], 1, options.per_set * 2).items()}
        alarms = {name: float((cosines(both[name], clean[1]) > limits[name]).mean()) for name in both}
        all_figures = {}
        for kind, (name, texts) in leaks.items():
            recall = float((cosines(both[name], texts) > limits[name]).mean())
            precision = recall / (recall + alarms[name]) if recall + alarms[name] else 0.0
            all_figures[kind] = {
                "items": len(texts),
                "limit": limits[name],
                "recall": recall,
                "clean pages named": alarms[name],
                "precision": precision,
            }
    yield Figures("Paraphrases by their vectors", all_figures)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", required=True, help="word vectors, as for `dedup: {semantic: …}`")
    parser.add_argument("--per-set", type=int, default=10)
    parser.add_argument("--folder", type=Path, help="where indexes are kept; default: a new temporary folder")
