"""Which leaks of evaluation sets are found, and which pages without one are.

Planted: items of ../shared/data/benchmarks, drawn by seed, each changed in one way and put into the middle of a page of
../shared/data/web. Only items are planted that the method can check as they are shown: with an n-gram in the question,
or in the answer, or across both where no choices stand between them; for decon, of 20 tokens or more. How many it
cannot check is said. A second row of halves has those with as many tokens of the question as an n-gram has.
Real: ../shared/data/contamination: documents that hold items (contaminated_docs), and books, speeches and answers that
share a quotation with one (natural_overlap; its pages of the web are among the clean ones). Clean: all pages of the
web; each that a method would drop or cut is printed with what it shares.

The limits of `n_gram` and the default of `min_tokens` were chosen on the even rows of pages and items (`--half 0`); all
figures are of the odd ones.
"""

import argparse
import gzip
import json
import random
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.case import Figures
from benchmarks.contamination.planted import halved, planted
from benchmarks.contamination.sets import index_of, web_pages
from benchmarks.data import SHARED
from curation.filters.contamination import Contamination
from curation.models.evalsets.decon import LEAST_TOKENS
from curation.models.evalsets.index import MAIN, EvalsetIndex, array_name
from curation.text.canonical_tokens import tokens_of

METHODS: dict[str, dict[str, Any]] = {
    "gpt3": {"method": "gpt3"},
    "palm": {"method": "palm"},
    "llama": {"method": "llama"},
    "n_gram 8, 0.3": {"method": "n_gram", "n": 8, "max_overlap": 0.3, "min_tokens": 13},
    "decon": {"method": "decon"},
}
REAL = SHARED / "contamination"


def over(made: Contamination, texts: Sequence[str]) -> tuple[list[bool], list[list[str]]]:
    """Of each text, whether the method would cut or drop it, and which items it names."""
    found: list[bool] = []
    items: list[list[str]] = []
    for at in range(0, len(texts), 200):
        batch = pa.record_batch({"text": pa.array(texts[at : at + 200], pa.large_string())})
        signals = made.measure(batch)
        value = signals["cuts"] if made.cuts else signals["overlap"]
        limit = 0.0 if made.cuts else made.rules()[0].at_most
        found += (np.asarray(value) > limit).tolist()
        items += [[one["item"] for one in row] for row in signals["items"].to_pylist()]
    return found, items


def able(index: EvalsetIndex, size: int, *, least_tokens: int = 0) -> npt.NDArray[np.bool_]:
    """bool[I]: the items that n-grams of a size can find in the form in which they are planted."""
    counts = index.array(array_name("counts", size))
    apart = np.asarray(pc.list_value_length(index.items["choices"])) > 0
    own: npt.NDArray[np.bool_] = (counts[:, 0] > 0) | (counts[:, 1] > 0) | (~apart & (counts[:, 2] > 0))
    long: npt.NDArray[np.bool_] = counts[:, 6] + counts[:, 7] >= least_tokens
    return own & long


def drawn(
    index: EvalsetIndex, checked: npt.NDArray[np.bool_], per_set: int, seed: int, half: int
) -> list[dict[str, Any]]:
    """So many of the checked items of each set, of one half of the rows."""
    table = index.items.filter(pa.array(checked))
    chosen: list[dict[str, Any]] = []
    for name in index.sets:
        rows = [row for row in table.filter(pc.equal(table["set"], name)).to_pylist() if row["row"] % 2 == half]
        chosen += random.Random(f"{seed} {name}").sample(rows, min(per_set, len(rows)))
    return chosen


def planted_found(made: Contamination, items: list[dict[str, Any]], pages: list[str], seed: int) -> dict[str, float]:
    """Kind -> the share of leaks that are found."""
    shares: dict[str, float] = {}
    for kind, texts in planted(items, pages, seed).items():
        found, _ = over(made, texts)
        shares[kind] = float(np.mean(found))
        if kind == "cut in half":
            left = [len(tokens_of(pa.array([halved(item)])).hashes) >= made.size for item in items]
            shares["cut in half, n tokens left"] = float(np.mean(np.array(found)[left]))
    return shares


def real_found(made: Contamination) -> tuple[float, list[str]]:
    """The share of the documents that hold items which are found, and those that are not."""
    with gzip.open(REAL / "contaminated_docs.jsonl.gz", "rt") as lines:
        rows = [json.loads(line) for line in lines]
    found, _ = over(made, [row["text"] for row in rows])
    return float(np.mean(found)), [row["id"] for row, one in zip(rows, found, strict=True) if not one]


def quoting_found(made: Contamination) -> tuple[float, float]:
    """The share of the texts with a quotation that the method would cut or drop, and of their items that it names."""
    with gzip.open(REAL / "natural_overlap.jsonl.gz", "rt") as lines:
        rows = [row for row in map(json.loads, lines) if row["where"].startswith("text/")]
    texts = dict[str, str]()
    wanted = {row["doc"] for row in rows}
    for where in sorted({row["where"] for row in rows}):
        with gzip.open(SHARED / where, "rt") as lines:
            texts |= {one["id"]: one["text"] for one in map(json.loads, lines) if one["id"] in wanted}
    found, items = over(made, list(texts.values()))
    named = dict(zip(texts, items, strict=True))
    return float(np.mean(found)), float(
        np.mean([f"{row['benchmark']}/{row['item']}" in named[row["doc"]] for row in rows])
    )


def run(options: argparse.Namespace) -> Iterator[Figures]:
    all_figures: dict[str, dict[str, Any]] = {}
    notes = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        index = index_of(folder)
        pages = web_pages().to_pylist()[options.half :: 2]
        for method in METHODS:
            made = Contamination(evalsets=str(folder / MAIN), **METHODS[method])
            checked = able(index, made.size, least_tokens=LEAST_TOKENS if method == "decon" else 0)
            clean, names = over(made, [page["text"] for page in pages])
            alarms = [(page, items) for page, one, items in zip(pages, clean, names, strict=True) if one]
            notes += [f"{method}: {page['url']} shares {', '.join(items[:3])}" for page, items in alarms]
            hosts = [
                page["text"]
                for page, one in zip(pages, clean, strict=True)
                if not one and 2000 < len(page["text"]) < 20_000
            ]
            items = drawn(index, checked, options.per_set, options.seed, options.half)
            share, missed = real_found(made)
            notes += [f"{method}: not found: {name}" for name in missed]
            quoting, named = quoting_found(made)
            all_figures[method] = {
                "items planted": len(items),
                **planted_found(made, items, hosts, options.seed),
                "real documents": share,
                "texts with a quotation, cut or dropped": quoting,
                "their items, named": named,
                "clean pages": len(pages),
                "false alarms or true leaks": sum(clean),
                "items not checked": int(np.count_nonzero(~checked)),
            }
    rows = {kind: {method: all_figures[method][kind] for method in METHODS} for kind in all_figures["gpt3"]}
    yield Figures("Leaks found", rows, tuple(notes))


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--folder", type=Path, help="where the index is kept; default: a new temporary folder")
    parser.add_argument("--per-set", type=int, default=40, help="items planted of each set")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--half", type=int, default=1, choices=(0, 1), help="0: rows that options were chosen on")
