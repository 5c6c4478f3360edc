"""Small evaluation sets and their index."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from curation.fit.evalsets import Evalsets
from curation.models.evalsets.index import EvalsetIndex, load
from curation.models.evalsets.sets import EvalSet

HENS = "A farmer has seventeen brown hens and sells each egg at the village market for two coins every single morning"
SHIPS = "Which harbour did the tall grey ships leave on the evening before the great storm of that winter"
ITEMS: dict[str, list[dict[str, Any]]] = {
    "sums": [
        {"question": HENS, "answer": "She earns thirty four coins in a day and keeps none of them for the long winter"},
        {"question": "Two and two", "answer": "four"},
    ],
    "places": [{"question": SHIPS, "choices": ["Port of Larn", "Mull", "Ayr", "Skye"], "answer": 1}],
}


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def index_file(folder: Path, items: Mapping[str, Sequence[Mapping[str, Any]]], sizes: tuple[int, ...] = (5, 8)) -> str:
    """The main file of an index of these items by set."""
    files = {name: [write_rows(folder / f"{name}.jsonl", rows)] for name, rows in items.items()}
    fields = {name: {field for row in rows for field in row} for name, rows in items.items()}
    sets = {
        name: EvalSet(
            files=tuple(paths),
            answer="answer" if "answer" in fields[name] else "",
            choices="choices" if "choices" in fields[name] else (),
        )
        for name, paths in files.items()
    }
    fit = Evalsets(sets=sets, sizes=sizes)
    for name, content in fit.index(files).items():
        (folder / name).write_bytes(content)
    return str(folder / fit.asset)


def indexed(
    folder: Path, items: Mapping[str, Sequence[Mapping[str, Any]]], sizes: tuple[int, ...] = (5, 8)
) -> EvalsetIndex:
    return load(index_file(folder, items, sizes))
