"""Which recipe pays: from the same web archives, text by several recipes, each judged by what a model learns from it.

The archives are ../shared/data/web/pages-public-*.warc.gz, the held-out texts those of ../shared/data/text on which
nothing was fitted; both sides are English. `arms.py` says what is compared, `texts.py` how the texts are divided. For
the decoder a document is held out by one piece, and a kind by FEW documents, because it reads them slowly. datatrove
needs `python -m benchmarks.datatrove` first. What the folder has already is not made again.
"""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

from benchmarks import datatrove
from benchmarks.case import Figures
from benchmarks.compare import arms, texts
from pipelines import api
from pipelines.render import compare, compare_plot
from pipelines.render.console import err, out
from pipelines.render.progress import CompareProgress

FEW = 60


def run(options: argparse.Namespace) -> Iterator[Figures]:
    options.folder.mkdir(parents=True, exist_ok=True)
    runs = arms.make(options.folder, options.only, options.workers, options.python)
    few = {"most": 1, "documents": FEW} if options.model == "decoder" else {}
    heldout = texts.write_heldout(options.folder / f"heldout-{options.model}", **few)
    with CompareProgress(err) as bars:
        compared = api.compare(
            [f"{name}={path}" for name, path in runs.items()],
            heldout,
            decoder="demo" if options.model == "decoder" else None,
            tokens=options.tokens,
            seeds=options.seeds,
            points=options.points,
            on_progress=bars.update,
        )
    if options.plot:
        compare_plot.draw(options.plot, compared)
    compare.comparison(out, compared, options.plot)
    rows = {
        name: {kind.name: compared.result(name, kind.name).bits_per_byte for kind in compared.kinds} for name in runs
    }
    yield Figures("bits per byte, by kind", rows)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--folder", type=Path, default=Path("runs/compare"))
    parser.add_argument("--model", choices=("ngram", "decoder"), default="ngram")
    parser.add_argument("--tokens", type=int)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--points", type=int, default=4)
    parser.add_argument("--plot", help="draw to this .png or .svg")
    parser.add_argument("--only", nargs="+", choices=arms.NAMES, default=arms.NAMES, metavar="ARM", help="only these")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    datatrove.add_python_option(parser)
