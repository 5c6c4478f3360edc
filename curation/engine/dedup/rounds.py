"""Clusters by rounds over buckets of documents, for links that no single task should hold.

*spread*: links leave for the bucket of their first document. Then small-star and large-star take turns until nothing
changes any more: each unit reads its bucket and sends the new edges on. *label*: each link learns its cluster's root
and leaves for the root's bucket, where the whole cluster comes together.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from curation.core.commits import Commit
from curation.dedup.clusters.components import ROUNDS, root_docs
from curation.dedup.clusters.edges import EDGE_SCHEMA, Edges, Labels, bucket_of_doc
from curation.engine.dedup.layout import LINK_SCHEMA, Layout
from curation.engine.run.routing import done, read_all, write_routed
from curation.engine.run.work import Cheap, Unit, Work

Step = Callable[[str, Work, Sequence[Unit], str], tuple[Commit, ...]]  # name, work, units, folder of the commits
SPREAD, LABELLED = "_spread", "_labelled"


def round_folder(number: int) -> str:
    return f"_round-{number:03d}"


def is_of_rounds(name: str) -> bool:
    """True for folders of these steps. They stay until the stage is done: each round is resumed from the one before."""
    return name in (SPREAD, LABELLED) or name.startswith("_round-")


def cluster_by_rounds(step: Step, layout: Layout, files: list[str]) -> tuple[list[str], int]:
    """Files of all links, routed by the bucket of their cluster's root, and the rounds that it took."""
    units = [Unit(number, None) for number in range(layout.buckets)]
    step("spread", SpreadStep(layout, tuple(files)), units, SPREAD)
    rounds, quiet = 0, 0
    while quiet < len(ROUNDS) or rounds % len(ROUNDS) != 1:  # ends after small-star: what it sent is labelled below
        commits = step(f"round {rounds + 1}", RoundStep(layout, rounds), units, round_folder(rounds + 1))
        quiet = 0 if any(commit.extra["changed"] for commit in commits) else quiet + 1
        rounds += 1
    step("label", LabelStep(layout, rounds), units, LABELLED)
    return [layout.file(LABELLED, "links", bucket) for bucket in range(layout.buckets)], rounds


@dataclass(frozen=True)
class _PerBucket(Cheap):
    layout: Layout

    def arrived(self, folder: str, what: str, schema: pa.Schema, unit: int) -> pa.Table:
        files = (self.layout.file(folder, what, bucket) for bucket in range(self.layout.buckets))
        return read_all(files, schema, unit).combine_chunks()

    def send(self, path: str, table: pa.Table, by: str) -> None:
        write_routed(path, table, bucket_of_doc(np.asarray(table[by]), self.layout.buckets), self.layout.buckets)


@dataclass(frozen=True)
class SpreadStep(_PerBucket):
    """Every so many of the link files: their links, and the same as rows of the first round."""

    files: tuple[str, ...]

    def run(self, unit: Unit) -> Commit:
        links = read_all(self.files[unit.number :: self.layout.buckets], LINK_SCHEMA).combine_chunks()
        paths = [self.layout.file(SPREAD, what, unit.number) for what in ("links", "edges")]
        self.send(paths[0], links, "doc_a")
        self.send(paths[1], ROUNDS[0][0](Edges.from_table(links)).to_table(), "doc_a")
        return done(self.layout.folder, unit.number, paths)


@dataclass(frozen=True)
class RoundStep(_PerBucket):
    """One round over a bucket; what it makes is sent as rows of the next one."""

    number: int

    def run(self, unit: Unit) -> Commit:
        before = round_folder(self.number) if self.number else SPREAD
        _, star = ROUNDS[self.number % len(ROUNDS)]
        edges, changed = star(Edges.from_table(self.arrived(before, "edges", EDGE_SCHEMA, unit.number)))
        targets, _ = ROUNDS[(self.number + 1) % len(ROUNDS)]
        path = self.layout.file(round_folder(self.number + 1), "edges", unit.number)
        self.send(path, targets(edges).to_table(), "doc_a")
        return done(self.layout.folder, unit.number, [path], changed=int(changed))


@dataclass(frozen=True)
class LabelStep(_PerBucket):
    """Links of a bucket, with the root that the last of `rounds` rounds gave their first document."""

    rounds: int

    def run(self, unit: Unit) -> Commit:
        stars = Edges.from_table(self.arrived(round_folder(self.rounds), "edges", EDGE_SCHEMA, unit.number))
        links = self.arrived(SPREAD, "links", LINK_SCHEMA, unit.number)
        root = root_docs(Edges.from_table(links), _labels(stars))
        path = self.layout.file(LABELLED, "links", unit.number)
        write_routed(path, links, bucket_of_doc(root, self.layout.buckets), self.layout.buckets)
        return done(self.layout.folder, unit.number, [path])


def _labels(rows: Edges) -> Labels:
    """Labels of each first document of rows of stars in both directions, sorted by doc: a leaf's other end is its root,
    a root's are its leaves."""
    leaf = (rows.rank_b < rows.rank_a) | ((rows.rank_b == rows.rank_a) & (rows.doc_b < rows.doc_a))
    root_rank, root_doc = np.where(leaf, rows.rank_b, rows.rank_a), np.where(leaf, rows.doc_b, rows.doc_a)
    doc, first = np.unique(rows.doc_a, return_index=True)
    return Labels(doc, rows.rank_a[first], root_rank[first], root_doc[first])
