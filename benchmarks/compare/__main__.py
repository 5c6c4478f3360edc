"""Which recipe pays: from the same web archives, text by several recipes, each judged by what a model learns from it.

    python -m benchmarks.compare [--folder runs/compare]                n-gram models; see `winnow compare --help`
    python -m benchmarks.compare --model decoder --seeds 3 --points 1   the decoder of `make train`

The archives are ../shared/data/web/pages-public-*.warc.gz, the held-out texts those of ../shared/data/text on which
nothing was fitted; both sides are English. `arms.py` says what is compared, `texts.py` how the texts are divided. For
the decoder a document is held out by one piece, and a kind by FEW documents, because it reads them slowly. datatrove
needs `python -m benchmarks.parity.environment` first. What the folder has already is not made again.

In the JSON file: the fields of `winnow compare --json`.
"""

import dataclasses
import os
from pathlib import Path

from benchmarks.compare import arms, texts
from benchmarks.figures import command_line, write_json
from benchmarks.parity import environment
from pipelines import api
from pipelines.render import compare, compare_plot
from pipelines.render.console import err, out
from pipelines.render.progress import CompareProgress

FEW = 60


def main() -> None:
    parser = command_line("compare", __doc__)
    parser.add_argument("--folder", type=Path, default=Path("runs/compare"))
    parser.add_argument("--model", choices=("ngram", "decoder"), default="ngram")
    parser.add_argument("--tokens", type=int)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--points", type=int, default=4)
    parser.add_argument("--plot", help="draw to this .png or .svg")
    parser.add_argument("--only", nargs="+", choices=arms.NAMES, default=arms.NAMES, metavar="ARM", help="only these")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--python", type=Path, default=environment.python_of(environment.FOLDER), help="of datatrove")
    options = parser.parse_args()
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
    write_json(dataclasses.asdict(compared), options.json)


if __name__ == "__main__":
    main()
