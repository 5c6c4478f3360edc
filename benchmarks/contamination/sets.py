"""The evaluation sets that the benchmarks look for, their index, and pages of the web that hold none."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from benchmarks.data import SHARED, read
from curation.fit.evalsets import Evalsets
from curation.models.evalsets.index import EvalsetIndex, load
from curation.models.evalsets.sets import EvalSet

FOLDER = SHARED / "benchmarks"
PAGES = (str(SHARED / "web" / "pages-public*.warc.gz"),)


def chosen(names: Sequence[str] = ()) -> dict[str, EvalSet]:
    """The sets by name, of all files of the folder or of some; the longest answer that a set has is its answer."""
    sets: dict[str, EvalSet] = {}
    for path in sorted(FOLDER.glob("*.jsonl.gz")):
        name = path.name.partition(".")[0]
        if names and name not in names:
            continue
        with gzip.open(path, "rt") as lines:
            rows = [json.loads(line) for line in lines]
        fields = {field for row in rows for field in row}
        answer = next((field for field in ("solution", "answer", "answer_index") if field in fields), "")
        choices = "choices" if "choices" in fields else ()
        sets[name] = EvalSet(files=str(path), answer=answer, choices=choices, id="id")
    return sets


def index_of(folder: Path, names: Sequence[str] = ()) -> EvalsetIndex:
    """The index of the sets in `folder`, which is made if it is not there."""
    fit = Evalsets(sets=chosen(names))
    if not (folder / fit.asset).exists():
        folder.mkdir(parents=True, exist_ok=True)
        files = fit.index({name: [str(one.files)] for name, one in fit.sets.items()})
        for name in sorted(files, key=fit.asset.__eq__):  # the main file last
            (folder / name).write_bytes(files[name])
    return load(str(folder / fit.asset))


def web_pages(documents: int | None = None) -> pa.Table:
    """`url` and `text` of the pages of the test data that have text, of all or of so many."""
    return read(PAGES, documents).select(["url", "text"])
