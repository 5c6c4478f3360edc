"""Whether a change of winnow leaves every byte as it was: part files, token shards, fitted assets, reports and figures.

    python -m benchmarks.same_bytes record FOLDER [ARCHIVES…]       runs all recipes, writes FOLDER/digests.json
    python -m benchmarks.same_bytes record FOLDER --recipe demo     only some of them; may be given again
    python -m benchmarks.same_bytes compare BEFORE AFTER            two such files; exit code 1 if data differ

Record with the code before a change and with the code after it, into two folders. The recipes are those that are
shipped and two made ones, `sieve` and `judges`, which together use every dedup method, rewriter and kind of fit, and
every filter but `transformer_classifier`. The input is the demo crawl, cut short, or the archives that are named, cut
to PAGES responses together; examples, grades, word vectors, questions and n-gram models are made of the same pages.

`digests.json` has `input` (file -> SHA-256), `components` (what `winnow list` and `winnow describe` print) and `runs`
(recipe -> `stages`, `reports`, `addresses`, and as `models` what the commands print that train its models). Of a stage:
`files` (name -> `bytes`; of Parquet also `rows` and `columns`), `drop_reasons` and `manifest`. Reports are what `plan`,
`funnel`, `tune`, `why`, `duplicates`, `audit` and `verify` print with `--json`, without times, paths and addresses. The
address of a stage may change with its data equal: such are listed apart, each with the parts of it that changed.
"""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.same_bytes.differences import Difference, changed_addresses, data_differences, in_one_only
from benchmarks.same_bytes.recipes import all_recipes
from benchmarks.same_bytes.record import WORKPLACE, record

SHOWN = 12  # differences of one stage or report
DEPTH = 4  # names of a place that say which one: runs, demo, stages, gopher


def show(differences: list[Difference]) -> None:
    """A line for each, at most SHOWN of a stage or report, then how many more."""
    shown = Counter[tuple[str, ...]]()
    for one in differences:
        group = one.place[:DEPTH]
        shown[group] += 1
        if shown[group] <= SHOWN:
            print(f"{' / '.join(one.place)}: {_short(one.before)} -> {_short(one.after)}")
    for group, count in shown.items():
        if count > SHOWN:
            print(f"{' / '.join(group)}: {count - SHOWN} more")


def compare(before: Path, after: Path) -> int:
    """Prints what differs and returns the exit code."""
    one = json.loads(before.read_bytes())
    other = json.loads(after.read_bytes())
    for run in in_one_only(one, other):
        print(f"{run} is in one recording only and is not compared")
    moved = changed_addresses(one, other)
    for (run, stage), parts in moved.items():
        print(f"address of {run} / {stage}: {', '.join(parts) or 'only that of a stage before'}")
    differences = data_differences(one, other)
    show(differences)
    print(f"{len(differences)} differences of data, {len(moved)} addresses changed")
    return 1 if differences else 0


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.same_bytes",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record")
    recording.add_argument("folder", type=Path)
    recording.add_argument("archives", type=Path, nargs="*")
    recording.add_argument("--recipe", action="append", choices=[*all_recipes()], help="only this one")
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    options = parser.parse_args()
    if options.command == "compare":
        return compare(options.before, options.after)
    if options.folder.exists():
        recording.error(f"{options.folder} is there already; name a new folder")
    if WORKPLACE.exists():
        recording.error(f"{WORKPLACE} is of another recording; wait for its end, or delete it if that was interrupted")
    record(options.folder, options.archives, options.recipe or (), lambda line: print(line, flush=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
