"""Held-out documents by kind: clean texts that no run has, by which models are judged.

The kind of a document is the name of its file without endings or, with a field, what that holds. Left out, and counted,
are documents without text, copies of held-out documents, and those whose normalized text stands in what a run gives to
learn from, as it was read or as it is now (`curation/text/text_hash.py`; a passage in common is not noticed). The order
is that of the files.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.annotate.files import file_units
from curation.account.compare.run_text import RunText, has_text
from curation.core.errors import InputError, UserError
from curation.core.wording import counted
from curation.text.text_hash import text_hashes

LEAST = 5  # documents of a kind: an interval over fewer says nothing
ALL = "all kinds"  # the mean over kinds


@dataclass(frozen=True)
class HeldoutKind:
    """What is judged of a kind, and what was left out of it."""

    name: str
    documents: int
    bytes: int
    in_runs: int  # left out since a run has them
    copies: int  # of other held-out documents
    empty: int


@dataclass(frozen=True, eq=False)
class HeldOut:
    """D documents, none of which is empty."""

    texts: pa.Array  # large_string[D]
    kind: npt.NDArray[np.int64]  # int64[D]: which of `kinds`
    kinds: tuple[HeldoutKind, ...]


def held_out(patterns: Sequence[str], runs: Sequence[RunText], *, by: str | None = None) -> HeldOut:
    """The documents of files by path, folder or glob. Raises InputError for files without text or without the field
    `by`, and for a kind of which fewer than LEAST documents are left."""
    table = _read(patterns, by)
    names = table["kind"].unique().to_pylist()
    if ALL in names:
        raise UserError(f"a kind of held-out text has the name {ALL!r}, which stands for the mean of all; rename it")
    hashes = text_hashes(table["text"])
    known = pa.concat_arrays([hashes for run in runs for hashes in (text_hashes(run.texts), run.as_read)])
    empty = ~_bools(has_text(table["text"]))
    leaked = _bools(pc.is_in(hashes, known.drop_null())) & ~empty
    copies = np.ones(len(table), np.bool_)
    copies[np.unique(hashes.fill_null("").to_numpy(zero_copy_only=False), return_index=True)[1]] = False
    copies &= ~empty & ~leaked
    kept = ~(empty | leaked | copies)
    places = np.asarray(pc.index_in(table["kind"], pa.array(names)).combine_chunks()).astype(np.int64)
    sizes = np.asarray(pc.fill_null(pc.binary_length(table["text"]), 0))
    kinds = []
    for place, name in enumerate(names):
        own = places == place
        left_out = (int((own & dropped).sum()) for dropped in (leaked, copies, empty))
        kinds.append(HeldoutKind(name, int((own & kept).sum()), int(sizes[own & kept].sum()), *left_out))
    for kind in kinds:
        _check(kind)
    return HeldOut(table["text"].filter(pa.array(kept)).combine_chunks(), places[kept], tuple(kinds))


def _read(patterns: Sequence[str], by: str | None) -> pa.Table:
    if not patterns:
        raise UserError("there is nothing to judge by; name clean texts that no run has: --heldout FILE")
    tables = []
    for unit in (unit for pattern in patterns for unit in file_units(pattern, by)):
        name = PurePosixPath(unit.path).name.partition(".")[0]
        for table in unit.tables(by):
            kind = pa.repeat(pa.scalar(name), len(table)) if by is None else table["value"].cast(pa.string())
            tables.append(pa.table({"text": table["text"], "kind": pc.fill_null(kind, "none")}))
    if not sum(map(len, tables)):
        raise InputError(f"{', '.join(patterns)}: there is no document in it; name files with held-out texts")
    return pa.concat_tables(tables)


def _check(kind: HeldoutKind) -> None:
    if kind.documents < LEAST:
        out = f"{kind.in_runs:,} stand in a run, {kind.copies:,} are copies, {kind.empty:,} have no text"
        raise InputError(
            f"the held-out kind {kind.name!r} has {counted(kind.documents, 'document')} to judge by ({out}), and an "
            f"interval needs {LEAST}; give more, or shorter ones"
        )


def _bools(mask: pa.Array | pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    return np.asarray(mask).astype(np.bool_)
