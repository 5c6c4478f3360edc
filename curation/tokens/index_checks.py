"""Checks the numbers of a mix's index and of its packs, before they are used as sizes, offsets or names.

Types and signs are checked as the files are read (`core/token_shapes`). Sums and products are those that `mix` and
`pack` make, so a number that is too large is found here, and not where memory is asked for or a row is read.
"""

from collections.abc import Iterable

import numpy as np

from curation.core.errors import InputError
from curation.core.token_shapes import MixIndex, Section, TokenPart
from curation.tokens.token_files import HEADER

DTYPES = {"uint16": 2, "uint32": 4}
MOST_IDS = 1 << 31
MOST_ROWS = 1 << 48
MOST_EPOCHS = 10_000  # as in `mix`; each keeps round keys in memory


def check_index(uri: str, index: MixIndex) -> None:
    """Raises InputError, which names the file, unless the index of a mix agrees with itself."""
    _check_ids(uri, index)
    if not (index["packs"] and index["leaves"] and index["phases"] and index["entries"]):
        raise _wrong(uri, "it has no packs, leaves, phases or entries")
    _count(uri, "seed", index["seed"], -(1 << 63), 1 << 64)
    available = {leaf["source"]: _count(uri, "available", leaf["available"], 0) for leaf in index["leaves"]}
    taken = [0] * len(index["phases"])
    last = 0
    for entry in index["entries"]:
        last = _count(uri, "phase of an entry", entry["phase"], last, len(taken) - 1)
        rows = _count(uri, "rows of an entry", entry["rows"], 0)
        first = _count(uri, "first of an entry", entry["first"], 0)
        held = available.get(entry["source"])
        if held is None or first + rows > held * MOST_EPOCHS:
            raise _wrong(uri, f"an entry takes {first + rows:,} rows of {entry['source']!r}, which has {held or 0:,}")
        taken[last] += rows
    for phase, rows in zip(index["phases"], taken, strict=True):
        _count(uri, "tokens of a phase", phase["tokens"], 0, 1 << 62)
        labels = sum(line["tokens"] for line in index["report"] if line["phase"] == phase["name"])
        if phase["tokens"] != labels or labels > rows * (index["row_tokens"] - 1):
            told = f"phase {phase['name']!r} trains {phase['tokens']:,} labels in {rows:,} rows"
            raise _wrong(uri, f"{told}, and its sources {labels:,}")
        if phase["rows"] != rows:
            raise _wrong(uri, f"phase {phase['name']!r} has {phase['rows']} rows, its entries have {rows:,}")


def check_parts(uri: str, section: Section) -> None:
    """Raises InputError unless the sizes of a pack's files follow from their rows."""
    item = DTYPES[section["dtype"]]
    for part in section["parts"]:
        name = part["name"]
        rows = part["rows"]
        files = part["files"]
        if "/" in name:
            raise _wrong(uri, f"{name!r} is no name of a token shard")
        if {*files} != {f"{name}{end}" for end in (".bin", ".idx", ".parquet")}:
            raise _wrong(uri, f"the files of {name} are not its rows, index and lineage")
        for entry in files.values():
            _count(uri, f"size of a file of {name}", entry["bytes"], 0, 1 << 62)
        _count(uri, f"rows of {name}", rows, 0)
        slots = rows * section["row_tokens"]
        if part["documents"] > part["tokens"] or part["tokens"] + part["padding"] > slots:
            told = (
                f"{part['documents']:,} documents, {part['tokens']:,} tokens and {part['padding']:,} slots of padding"
            )
            raise _wrong(uri, f"{name} has {told} in {slots:,} slots")
        least = HEADER.size + 8 * (rows + 1)
        size = rows * section["row_tokens"] * item
        if files[f"{name}.bin"]["bytes"] != size or files[f"{name}.idx"]["bytes"] < least:
            raise _wrong(uri, f"{name} has {rows:,} rows of {section['row_tokens']:,} tokens, but files of other sizes")


def check_leaves(index: MixIndex, parts: Iterable[tuple[str, TokenPart]]) -> None:
    """Raises InputError if a leaf of the mix has other rows than when the mix was made, or more labels. Padding that
    takedowns made leaves fewer. `parts` are those of all its packs, with their leaves."""
    rows = {leaf["source"]: 0 for leaf in index["leaves"]}
    labels = dict(rows)
    for leaf, part in parts:
        if part["split"] == "train" and leaf in rows:
            rows[leaf] += part["rows"]
            labels[leaf] += part["rows"] * (index["row_tokens"] - 1) - part["padding"]
    counted = {line["source"]: line["available_tokens"] for line in index["report"]}
    for entry in index["leaves"]:
        leaf = entry["source"]
        if entry["available"] != rows[leaf]:
            raise InputError(
                f"the packs hold {rows[leaf]} rows of {leaf!r}, the mix was made from {entry['available']}; mix again"
            )
        if labels[leaf] > counted.get(leaf, 0):
            raise InputError(
                f"the packs hold {labels[leaf]:,} labels of {leaf!r}, the mix counts {counted.get(leaf, 0):,}; "
                "mix again"
            )


def _check_ids(uri: str, index: MixIndex) -> None:
    if index["dtype"] not in (*DTYPES,):
        raise _wrong(uri, f"dtype is {index['dtype']!r}, not {' or '.join(DTYPES)}")
    most = min(MOST_IDS, 1 << 8 * np.dtype(index["dtype"]).itemsize)
    ids = _count(uri, "vocabulary", index["vocabulary"], 1, most)
    _count(uri, "row_tokens", index["row_tokens"], 2, MOST_IDS)
    for name in ("begin_of_text", "end_of_text", "padding"):
        if (number := index[name]) is not None:
            _count(uri, name, number, 0, ids - 1)


def _count(uri: str, name: str, value: int, least: int, most: int = MOST_ROWS) -> int:
    if not least <= value <= most:
        raise _wrong(uri, f"{name} is {value!r}, not a whole number from {least:,} to {most:,}")
    return value


def _wrong(uri: str, what: str) -> InputError:
    return InputError(f"{uri} is damaged: {what}; copy it again, or run the recipe again")
