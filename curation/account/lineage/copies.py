"""The copies of documents: everything with the same text, and everything that a dedup stage put in the same cluster.

The same text is that of one `text_hash`, in every source, kept or dropped; a look-up finds it. A document that was
dropped as a duplicate leads to the one that was kept and to its other copies, and each of these to theirs in other
dedup stages, until nothing new is found. Clusters are compared as they were found, before any was split. One pass over
one narrow column of a dedup stage tells who belongs to the clusters asked for; there are as many passes as there are
stages that something new leads to, and memory holds a shard's columns and what was found.
"""

from dataclasses import dataclass, field

import numpy as np
import pyarrow.compute as pc

from curation.account.lineage.requests import find
from curation.account.run.rows import find_document, read_row
from curation.account.run.run_graph import Branches, Ints, Rows, Stage, merged
from curation.core.document import ROW_BITS
from curation.core.parquet_file import open_parquet
from curation.core.threads import at_once

NO_CLUSTER = -1
SAME = ("doc_id", "text_hash")  # columns in which a copy may be like the document


@dataclass
class Copies:
    """`rows` of reading stages, those asked for among them; `elsewhere`: documents of earlier runs that are copies."""

    rows: Rows
    elsewhere: list[dict[str, str | None]] = field(default_factory=list)  # {"run", "doc_id"}
    passes: int = 0  # over a dedup stage


def with_copies(branches: Branches, asked: Rows) -> Copies:
    """The documents of reading stages in `asked`, and all their copies; those too that a stage of an earlier recipe
    read under the same doc_id."""
    found = Copies(asked)
    known: dict[int, Ints] = {}  # stage -> clusters that were looked for
    fresh = asked
    while fresh:
        met = _clusters(branches, branches.spread(fresh))
        fresh = merged(*(find(branches, name, values_of(branches, fresh, name))[0] for name in SAME))
        for number, clusters in met.items():
            new = np.setdiff1d(clusters, known.get(number, np.empty(0, np.int64)))
            if len(new):
                known[number] = np.union1d(clusters, known.get(number, new))
                found.elsewhere += _elsewhere(branches.stages[number], new)
                fresh = merged(fresh, _members(branches, number, new))
                found.passes += 1
        fresh = _without(fresh, found.rows)
        found.rows = merged(found.rows, fresh)
    return found


def values_of(branches: Branches, rows: Rows, name: str) -> list[str]:
    """A column's values in some rows, each once and without null, in order of stage, shard and row."""
    columns = at_once(lambda one: branches.column(*one[0], name, one[1]), sorted(rows.items(), key=lambda one: one[0]))
    return list(dict.fromkeys(value for column in columns for value in column.drop_null().to_pylist()))


def link_methods(stage: Stage) -> list[str]:
    """Columns of a dedup stage's methods that link documents."""
    kinds = dict(stage.manifest.schema)
    order = stage.manifest.order if stage.manifest.verb.clusters else ()
    return [key for key in order if "cluster:" in kinds.get(key, "")]


def _clusters(branches: Branches, rows: Rows) -> dict[int, Ints]:
    """Dedup stage -> clusters that some of its rows are in."""
    found: dict[int, Ints] = {}
    for (number, shard), own in sorted(rows.items()):
        for key in link_methods(branches.stages[number]):
            clusters = _column(branches.stages[number], shard, key)[own]
            clusters = clusters[clusters != NO_CLUSTER]
            found[number] = np.union1d(found.get(number, clusters), clusters)
    return found


def _members(branches: Branches, number: int, clusters: Ints) -> Rows:
    """Rows of reading stages that are in one of the clusters of a dedup stage; reads all its shards."""
    stage = branches.stages[number]

    def of_shard(shard: int) -> list[Rows]:
        columns = [_column(stage, shard, key) for key in link_methods(stage)]
        rows = [np.flatnonzero(np.isin(column, clusters)) for column in columns]
        origins = [branches.origin(number, shard, own) for own in rows if len(own)]
        return [dict([one]) for one in origins if one is not None]

    found = at_once(of_shard, range(len(stage.manifest.parts)))
    return merged(*(one for several in found for one in several))


def _column(stage: Stage, shard: int, key: str) -> Ints:
    """int64[N]: each row's cluster by a method."""
    with open_parquet(stage.part(shard)) as file:  # which can read one field of a struct
        table = file.read(columns=[f"{key}.cluster"])
    return np.asarray(pc.fill_null(pc.struct_field(table[key].combine_chunks(), "cluster"), NO_CLUSTER))


def _elsewhere(stage: Stage, clusters: Ints) -> list[dict[str, str | None]]:
    """Documents of earlier runs that clusters are called by; they lie behind the stage's own shards."""
    found: list[dict[str, str | None]] = []
    for doc in clusters[clusters >> ROW_BITS >= len(stage.manifest.parts)].tolist():
        at = find_document(stage.folder, stage.manifest, doc)
        kept = read_row(at.folder, at.manifest, at.shard, at.row) if at.manifest is not None else {}
        found.append({"run": at.folder.rpartition("/")[0], "doc_id": kept.get("doc_id")})
    return found


def _without(rows: Rows, others: Rows) -> Rows:
    left = {place: np.setdiff1d(own, others.get(place, own[:0])) for place, own in rows.items()}
    return {place: own for place, own in left.items() if len(own)}
