"""Runs one benchmark: `python -m benchmarks NAME [--json FILE] [--rounds N]`; NAME --help tells its own options."""

import argparse
import importlib
import sys
from pathlib import Path

from rich.console import Console

from benchmarks.case import drive, write_json

ROOMS = {
    "extraction": ("archives", "charset", "transcoded", "extractors", "cascade", "margins", "lost", "shapes"),
    "heuristics": ("rules", "rewriters"),
    "language": ("identification",),
    "classifier": ("classifiers",),
    "learned": ("perplexity",),
    "contamination": ("search",),
    "pii": ("personal_data", "secrets"),
    "dedup": ("minhash", "signatures", "bloom"),
    "tokens": ("encode", "packing"),
    "training": ("checkpoint", "loss", "memory", "objectives", "step"),
    "pipeline": ("fetch", "side_by_side"),
    "compare": ("recipes", "toolkits"),
    "parity": ("verdicts",),
    "quality": ("kept",),
    "sources": ("conversations", "posts", "ready", "repositories", "wikipedia", "pdf", "papers"),
}
SUBJECTS = {f"{room}.{name}": f"benchmarks.{room}.{name}" for room, names in ROOMS.items() for name in names}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", choices=SUBJECTS, metavar="NAME", help=", ".join(SUBJECTS))
    name = parser.parse_args(arguments[:1]).name
    try:
        module = importlib.import_module(SUBJECTS[name])
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("benchmarks", "curation", "pipelines"):
            raise
        print(f"skipped: no {error.name}; run `pip install {error.name}` first")
        return 0
    own = argparse.ArgumentParser(
        prog=f"python -m benchmarks {name}",
        description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    own.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to this file")
    own.add_argument("--rounds", type=int, default=3, help="of each case; the fastest counts")
    if hasattr(module, "add_options"):
        module.add_options(own)
    options = own.parse_args(arguments[1:])
    figures, agrees = drive(module.run(options), options.rounds, Console(width=170))
    if options.json:
        write_json(figures, options.json)
    return 0 if agrees else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
