"""The groups of a fit's documents: how large they are, how much is wanted of each, and which hashes may be drawn.

The sizes of sources are in the manifests. Those of a column's values take a scan of that column; only of a part of the
shards, evenly spread, is the text read to know how long a value's documents are. Files of examples are read whole.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.commits import Commit
from curation.core.composed import all_columns
from curation.core.fits import LABEL, Fit
from curation.engine.executor.work import Cheap, Unit
from curation.engine.fit.example_files import labelled_rows
from curation.engine.fit.portions import Portion, names_of, taken_down
from curation.engine.recipe.fit_checks import check_column
from curation.engine.removed.tombstones import NONE, Tombstones
from curation.engine.run.part_files import read_part
from curation.fit.sample.shares import KeptShard

EVERYTHING = "all text"  # the only group where a sample is not balanced
MEASURED_BYTES = 1 << 28  # of text that is read to know the sizes of a column's groups, at least one shard
ALL = 2**64 - 1
# of candidates: times the target, and more than that by so many documents
MARGIN = 2
LEAST_DOCUMENTS = 64


@dataclass(frozen=True)
class SampleGroups:
    """By name of the group, sorted: documents and UTF-8 bytes of kept text, the latter perhaps estimated, and how many
    of these bytes a fit wants. `taken`: documents of files that are left out because their text was taken down, where
    there are any."""

    documents: dict[str, int]
    sizes: dict[str, int]
    wanted: dict[str, float]
    taken: Mapping[str, int] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        return list(self.documents)

    def shares(self, *, margin: bool) -> list[float]:
        """The share of each group's documents that is drawn; with a `margin` enough candidates to draw from."""
        shares = []
        for name, wanted in self.wanted.items():
            share = wanted / max(self.sizes[name], 1)
            if margin and wanted:
                share = MARGIN * share + LEAST_DOCUMENTS / max(self.documents[name], 1)
            shares.append(share)
        return shares


def limit_of(share: float) -> int:
    """The largest hash that is drawn: -1 for no document."""
    return min(int(share * 2**64), ALL) if share else -1


def below(hashes: npt.NDArray[np.uint64], limits: npt.NDArray[np.int64], share: Sequence[float]) -> pa.Array:
    """bool[N]: whether each hash is at most the limit of its group's share; `limits` int64[N] are groups' numbers."""
    tops = np.array([max(limit_of(one), 0) for one in share], np.uint64)
    some = np.array([one > 0 for one in share], np.bool_)
    return pa.array((hashes <= tops[limits]) & some[limits])


def groups_of(fit: Fit, sizes: Mapping[str, int], documents: Mapping[str, int]) -> SampleGroups:
    """How much the fit wants of each group. Raises RecipeError for weights of groups that are not in the text."""
    ordered = {name: sizes[name] for name in sorted(sizes)}
    counts = {name: documents[name] for name in ordered}
    balanced = fit.balanced(ordered) if list(ordered) != [EVERYTHING] else None
    if balanced is not None:
        return SampleGroups(counts, ordered, dict(balanced))
    if fit.sample_bytes is not None:
        share = fit.sample_bytes / max(sum(ordered.values()), 1)
    else:
        assert fit.sample_documents is not None, "a fit states how much it is shown"
        share = fit.sample_documents / max(sum(counts.values()), 1)
    return SampleGroups(counts, ordered, {name: size * min(1.0, share) for name, size in ordered.items()})


def known_sizes(portions: Iterable[Portion], by: str) -> tuple[Counter[str], Counter[str]]:
    """Bytes and documents of the groups that the manifests know: of everything, of sources, of chains of examples."""
    sizes = Counter[str]()
    documents = Counter[str]()
    for portion in portions:
        for shard in portion.shards:
            name = {"": EVERYTHING, "source": shard.source}.get(by, portion.label)
            sizes[name] += shard.kept_bytes
            documents[name] += shard.kept
    return sizes, documents


@dataclass(frozen=True)
class SizesStep(Cheap):
    """Documents and bytes of text by group, of a unit's portion; its commit's `groups` are {name: [documents, those
    whose text was measured, bytes of that]}. Of each `every`th shard the text is measured. `taken` counts the documents
    of a file whose text was taken down, which are no part of `groups`."""

    by: str
    every: int
    tombstones: Tombstones = NONE

    def run(self, unit: Unit) -> Commit:
        portion: Portion = unit.payload
        groups = defaultdict[str, list[int]](lambda: [0, 0, 0])
        taken = Counter[str]()
        if portion.file is not None:
            for table in labelled_rows(portion.file, portion.label):
                gone = pa.array(taken_down(table, self.tombstones))
                for name in table[LABEL].filter(gone).to_pylist():
                    taken[name] += 1
                    groups.setdefault(name, [0, 0, 0])
                left = table.filter(pc.invert(gone))
                _count(left[LABEL], left["text"], groups)
        for number, shard in enumerate(portion.shards, portion.first):
            measured = number % self.every == 0
            for table in read_part(shard.files, columns=(self.by, "text") if measured else (self.by,)):
                texts = table["text"] if measured else pa.nulls(table.num_rows, pa.large_string())
                _count(names_of(table, self.by, shard.source), texts, groups)
        return Commit(unit.number, (), extra={"groups": dict(groups), "taken": dict(taken)})


def _count(names: pa.Array | pa.ChunkedArray, texts: pa.Array | pa.ChunkedArray, groups: dict[str, list[int]]) -> None:
    """Adds to [documents, those with a text, bytes of it] by the name of their group."""
    rows = pa.table({"name": names, "bytes": pc.binary_length(texts).cast(pa.int64())}).group_by("name")
    for row in rows.aggregate([([], "count_all"), ("bytes", "count"), ("bytes", "sum")]).to_pylist():
        more = row["count_all"], row["bytes_count"], row["bytes_sum"] or 0
        groups[row["name"]] = [a + b for a, b in zip(groups[row["name"]], more, strict=True)]


def measured_sizes(commits: Iterable[Commit]) -> tuple[dict[str, int], Counter[str]]:
    """Bytes, estimated where not all text was measured, and documents of each group."""
    documents = Counter[str]()
    measured = Counter[str]()
    sizes = Counter[str]()
    for commit in commits:
        for name, (count, with_size, size) in commit.extra["groups"].items():
            documents[name] += count
            measured[name] += with_size
            sizes[name] += size
    # 0 where takedowns left no text
    whole = sizes.total()
    seen = max(measured.total(), 1)
    estimated = {
        name: documents[name] * sizes[name] // measured[name] if measured[name] else documents[name] * whole // seen
        for name in sorted(documents)
    }
    return estimated, documents


def check_shard(by: str, shard: KeptShard) -> None:
    """As `check_column`, of the columns that the shard's files have."""
    check_column(by, {field.name: field.type for field in all_columns(shard.files)})
