"""The documents of a run or of files, and a sample of them by source and strata.

First only ids and the signal are read, of all kept documents, or of at most MOST_SHARDS shards per source of a run. A
document enters the sample by a hash of its id, so the sample is the same every time, and a larger one holds the smaller
one as far as strata stay alike. Then the texts of the sample are read, and held in memory.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.annotate.strata import Ints, draw, strata_of
from curation.account.sealed.rows import read, scan
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import SealedShard
from curation.account.sealed.walk import last_stages
from curation.core.close_names import nearest
from curation.core.document import kept_mask
from curation.core.errors import InputError
from curation.text.kernels.hashing import hash64

MOST_SHARDS = 256  # of a source
MOST_ROWS = 2_000_000  # held in memory while strata are sought; of more, those with the smallest hashes
SAMPLE = pa.schema(
    [
        ("doc_id", pa.string()),
        ("url", pa.string()),
        ("source", pa.string()),
        ("stratum", pa.string()),
        ("text", pa.large_string()),
    ]
)


class DocumentUnit:
    """What is read at a time: a shard of a run, or a file."""

    def ids(self, signal: str | None) -> Iterator[pa.Table]:
        """All rows, in order: `doc_id`, `source`, `usable` (bool) and, for a signal, `value`."""
        raise NotImplementedError

    def documents(self, rows: Ints) -> pa.Table:
        """`doc_id`, `url`, `source` and `text` of the rows with these numbers (ascending)."""
        raise NotImplementedError


@dataclass(frozen=True)
class RunUnit(DocumentUnit):
    """A shard of a run's last stage of documents."""

    shard: SealedShard

    def ids(self, signal: str | None) -> Iterator[pa.Table]:
        for batch in scan(self.shard.files, ["doc_id", "drop_reason", *([signal] if signal is not None else [])], None):
            table = pa.Table.from_batches([batch])
            columns = {
                "doc_id": table["doc_id"],
                "source": pa.repeat(self.shard.part.source, len(table)),
                "usable": kept_mask(table),
            }
            yield pa.table({**columns, **({"value": table[signal]} if signal is not None else {})})

    def documents(self, rows: Ints) -> pa.Table:
        table = read(self.shard.files, ["doc_id", "url", "text"], rows)
        return table.append_column("source", pa.repeat(self.shard.part.source, len(table)))


def run_units(run: RunFolder, signal: str | None) -> list[RunUnit]:
    """Up to MOST_SHARDS shards of each source at the end of its chain, spread evenly. Raises InputError where no text
    or no such signal is there."""
    stages = last_stages(run.stages)
    by_source: dict[str, list[SealedShard]] = {}
    for stage in stages:
        if signal is not None and stage.shards:
            _check_signal(stage.schema, signal, stage.name)
        for shard in stage.shards:
            if shard.part.kept_text_bytes:
                by_source.setdefault(shard.part.source, []).append(shard)
    if not by_source:
        raise InputError(f"{run.folder} has no kept text; see: winnow funnel {run.folder}")
    return [RunUnit(shard) for shards in by_source.values() for shard in shards[:: -(-len(shards) // MOST_SHARDS)]]


def sample(
    units: Sequence[DocumentUnit], documents: int, signal: str | None
) -> tuple[pa.Table, dict[tuple[str, str], int]]:
    """(SAMPLE with up to `documents` rows, ordered so that its beginnings are spread evenly over sources and strata;
    documents that were drawn from, by source and stratum). Documents without text are left out."""
    pool = _pool(units, signal)
    if not pool.num_rows:
        raise InputError("there is no document with text")
    if signal is not None:
        _check_kind(pool["value"].type, signal)
    values = pool["value"].combine_chunks() if signal is not None else None
    names, stratum = ([""], np.zeros(len(pool), np.int64)) if values is None else strata_of(values)
    sources = pool["source"].combine_chunks().dictionary_encode()
    cells = np.asarray(sources.indices).astype(np.int64) * len(names) + stratum
    known = sources.dictionary.to_pylist()
    numbers, counts = np.unique(cells, return_counts=True)
    sizes = {
        (known[number // len(names)], names[number % len(names)]): count
        for number, count in zip(numbers.tolist(), counts.tolist(), strict=True)
    }
    rows = draw(cells, np.asarray(pool["hash"]), documents)
    chosen = pool.take(pa.array(rows))
    return _texts(units, chosen, pa.array(names).take(pa.array(stratum[rows]))), sizes


def _pool(units: Sequence[DocumentUnit], signal: str | None) -> pa.Table:
    """`unit`, `row`, `hash`, `source` and `value` of the usable documents with the smallest hashes."""
    limit = 2**64 - 1
    held = 0
    parts = list[pa.Table]()
    for number, unit in enumerate(units):
        first = 0
        for table in unit.ids(signal):
            hashes = hash64(table["doc_id"].cast(pa.large_string()).combine_chunks())
            rows = np.flatnonzero(np.asarray(table["usable"]) & (hashes <= np.uint64(limit)))
            part = {
                "unit": pa.array(np.full(len(rows), number, np.int32)),
                "row": pa.array(rows + first),
                "hash": pa.array(hashes[rows]),
                "source": table["source"].cast(pa.string()).combine_chunks().take(pa.array(rows)),
            }
            value = {"value": table["value"].combine_chunks().take(pa.array(rows))} if signal is not None else {}
            parts.append(pa.table({**part, **value}))
            first += len(table)
            held += len(rows)
            while held > MOST_ROWS:
                limit //= 2
                parts = [_together(parts).filter(pc.field("hash") <= pa.scalar(limit, pa.uint64()))]
                held = len(parts[0])
    return _together(parts)


def _together(parts: Sequence[pa.Table]) -> pa.Table:
    """One table; raises InputError where the signal is a number in one file and a text in another."""
    try:
        return pa.concat_tables(parts, promote_options="permissive") if parts else pa.table({})
    except pa.ArrowException as error:
        raise InputError(f"the files do not agree on what they hold: {error}") from error


def _texts(units: Sequence[DocumentUnit], chosen: pa.Table, strata: pa.Array) -> pa.Table:
    """The sample with its texts, in the order of `chosen`."""
    unit = np.asarray(chosen["unit"])
    row = np.asarray(chosen["row"])
    order = np.lexsort((row, unit))
    tables = [units[number].documents(row[order[unit[order] == number]]) for number in np.unique(unit)]
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    table = pa.concat_tables(tables, promote_options="permissive").take(pa.array(place))
    table = table.append_column("stratum", strata).select(SAMPLE.names).cast(SAMPLE)
    return table.filter(pc.fill_null(pc.greater(pc.utf8_length(pc.utf8_trim_whitespace(table["text"])), 0), False))


def _check_signal(schema: pa.Schema, signal: str, place: str) -> None:
    """Raises InputError where the columns have no such signal."""
    kind = pa.struct(list(schema))
    known = list[str]()
    for part in signal.split("."):
        known = [field.name for field in kind] if pa.types.is_struct(kind) else []
        if part not in known:
            raise InputError(f"{place} has no signal {signal!r}{nearest(part, known)}")
        kind = kind.field(part).type


def _check_kind(kind: pa.DataType, signal: str) -> None:
    simple = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_string)
    if not any(is_kind(kind) for is_kind in (*simple, pa.types.is_large_string)):
        raise InputError(f"--strata {signal} is neither a number nor a text ({kind}); name one of its fields")
