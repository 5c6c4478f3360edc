"""The evaluation sets that the benchmarks look for, their index, and pages of the web that hold none."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from benchmarks.data import read, rows_of, shared
from curation.fit.evalsets import Evalsets
from curation.models.evalsets.index import EvalsetIndex, load
from curation.models.evalsets.sets import EvalSet


def chosen(names: Sequence[str] = ()) -> dict[str, EvalSet]:
    """The sets by name, of all files of the folder or of some; the longest answer that a set has is its answer."""
    sets: dict[str, EvalSet] = {}
    for path in sorted(shared("benchmarks").glob("*.jsonl.gz")):
        name = path.name.partition(".")[0]
        if names and name not in names:
            continue
        fields = {field for row in rows_of(path) for field in row}
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
    return read([shared("web", "pages-public*.warc.gz")], documents).select(["url", "text"])
