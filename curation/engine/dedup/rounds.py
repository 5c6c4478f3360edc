"""Finds clusters in rounds, for links that no single task should hold.

The files of links are dealt to *parts*; each document belongs to the *bucket* of its hash. *spread*: each part makes
stars of its links. In each round the buckets collect what the parts say of their documents and answer (*meet*), then
the parts rebuild their stars (*star*, see `curation/dedup/clusters/edges.py`), until nothing changes. *roots*:
the buckets tell the parts the roots of their documents. *label*: links are sent to the bucket of their cluster's root.
No task holds more than a part or a bucket, however large a cluster is and however many links a document has.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from curation.core.commits import Commit
from curation.core.needs import MEMORY, Needs
from curation.core.protocols import Ints
from curation.core.threads import map_threads
from curation.dedup.clusters.edges import (
    LABEL_SCHEMA,
    ROUNDS,
    Edges,
    Labels,
    bucket_of_doc,
    contract,
    hang,
    least,
    proposals,
    root_docs,
)
from curation.engine.dedup.layout import LINK_SCHEMA, Layout
from curation.engine.executor.work import Unit, Work
from curation.engine.run.exchange import Step
from curation.engine.run.routing import KnownReceivers, Outbox, Router
from curation.engine.run.sent_files import SentFiles, read_file

PART_LINKS = 16_000_000  # of a part, on average at most
LINK_BYTES = 100  # of a task for each link of its part
SPREAD = "_spread"
ROOTS = "_roots"
LABELLED = "_labelled"
ROOTED_SCHEMA = LINK_SCHEMA.append(pa.field("root", pa.int64()))
WANTED_SCHEMA = pa.schema([("doc", pa.int64())])
ROOT_SCHEMA = pa.schema([("doc", pa.int64()), ("root", pa.int64())])


def round_folder(number: int) -> str:
    return f"_round-{number:03d}"


def meeting_folder(number: int) -> str:
    return f"_meet-{number:03d}"


def parts_for(links: int) -> int:
    """The number of parts, and of buckets, for so many links: a power of two."""
    return 1 << max(0, -(-links // PART_LINKS) - 1).bit_length()


@dataclass(frozen=True)
class ByDoc(Router):
    """Rows go to the bucket of the document in one of their columns."""

    receivers: int
    column: str = "doc"

    def of(self, table: pa.Table) -> Ints:
        return bucket_of_doc(np.asarray(table[self.column]), self.receivers)


@dataclass(frozen=True)
class LabelledLinks:
    """Links by the bucket of their cluster's root, the roots that each part was told, and the number of rounds."""

    links: SentFiles
    roots: SentFiles
    rounds: int
    memory: int  # bytes of a part's task


def cluster_by_rounds(step: Step, layout: Layout, files: Sequence[str], links: int) -> LabelledLinks:
    """Brings the links of each cluster together; `links` is how many the files hold."""
    parts = parts_for(links)
    common = (layout, parts, MEMORY + LINK_BYTES * links // parts)

    def run(name: str, work: Work, folder: str, *received: SentFiles) -> Mapping[str, SentFiles]:
        units = [Unit(n, {sent.what: sent.to(n, parts) for sent in received}) for n in range(parts)]
        commits = step(name, work, units, folder)
        changed.append(sum(commit.extra.get("changed", 0) for commit in commits))
        return {
            what: SentFiles.of(layout.folder, folder, what, commits).compact() for what in commits[0].extra["lengths"]
        }

    changed: list[int] = []
    spread = run("spread", SpreadStep(*common, tuple(files)), SPREAD)
    proposed = spread["proposed"]
    rounds = 0
    quiet = 0
    while quiet < len(ROUNDS):
        name = f"round {rounds + 1}"
        answers = run(name, MeetStep(*common, rounds), meeting_folder(rounds), proposed)["answers"]
        proposed = run(name, StarStep(*common, rounds), round_folder(rounds), answers)["proposed"]
        quiet = 0 if changed[-1] else quiet + 1
        rounds += 1
    roots = run("roots", RootsStep(*common), ROOTS, proposed, spread["wanted"])["roots"]
    return LabelledLinks(
        run("label", LabelStep(*common, tuple(files)), LABELLED, roots)["links"], roots, rounds, common[2]
    )


@dataclass(frozen=True)
class _OfPart:
    layout: Layout
    parts: int  # and buckets
    memory: int

    @property
    def needs(self) -> Needs:
        return Needs(memory=self.memory)

    def outbox(self, folder: str, unit: Unit) -> Outbox:
        return Outbox(self.layout.folder, folder, unit.number)

    def put_stars(self, outbox: Outbox, stars: Edges) -> None:
        outbox.put("stars", stars.to_table())
        outbox.send("proposed", proposals(stars).to_table(), ByDoc(self.parts))


@dataclass(frozen=True)
class _OfLinks(_OfPart):
    """`files` are all link files, dealt to the parts in turn."""

    files: tuple[str, ...]

    def links(self, part: int) -> pa.Table:
        tables = map_threads(read_file, self.files[part :: self.parts])
        return pa.concat_tables([LINK_SCHEMA.empty_table(), *tables]).combine_chunks()


@dataclass(frozen=True)
class SpreadStep(_OfLinks):
    """A part's links as stars, and the documents whose roots it will ask for."""

    def run(self, unit: Unit) -> Commit:
        edges = Edges.from_table(self.links(unit.number))
        outbox = self.outbox(SPREAD, unit)
        self.put_stars(outbox, contract(edges))
        wanted = np.unique(edges.doc_a[edges.doc_a != edges.doc_b])
        outbox.send("wanted", pa.table([wanted], schema=WANTED_SCHEMA), ByDoc(self.parts))
        return outbox.done()


@dataclass(frozen=True)
class MeetStep(_OfPart):
    """Collects what all parts say of a bucket's documents, and answers each part."""

    number: int

    def run(self, unit: Unit) -> Commit:
        proposed = unit.payload["proposed"]
        outbox = self.outbox(meeting_folder(self.number), unit)
        from_parts = [Labels.from_table(table) for table in proposed.tables(LABEL_SCHEMA)]
        rows = Labels.concat(from_parts)
        known = least(rows)
        answers = known.take(np.searchsorted(known.doc, rows.doc))
        part = np.repeat(np.arange(len(from_parts)), [len(labels) for labels in from_parts])
        outbox.send("answers", answers.to_table(), KnownReceivers(part, self.parts))
        return outbox.done()


@dataclass(frozen=True)
class StarStep(_OfPart):
    """Rebuilds a part's stars from the answers."""

    number: int

    def run(self, unit: Unit) -> Commit:
        before = round_folder(self.number - 1) if self.number else SPREAD
        stars = Edges.from_table(read_file(self.layout.file(before, "stars", unit.number)))
        answers = Labels.from_table(unit.payload["answers"].table(LABEL_SCHEMA))
        kind = ROUNDS[self.number % len(ROUNDS)]
        stars, changed = hang(stars, answers.take(np.argsort(answers.doc)), kind)
        outbox = self.outbox(round_folder(self.number), unit)
        self.put_stars(outbox, stars)
        return outbox.done(changed=changed)


@dataclass(frozen=True)
class RootsStep(_OfPart):
    """Sends the roots of a bucket's documents to the parts that asked."""

    def run(self, unit: Unit) -> Commit:
        labels = least(Labels.from_table(unit.payload["proposed"].table(LABEL_SCHEMA)))
        wanted = [np.asarray(table["doc"]) for table in unit.payload["wanted"].tables(WANTED_SCHEMA)]
        all_docs = np.concatenate(wanted)
        outbox = self.outbox(ROOTS, unit)
        part = np.repeat(np.arange(len(wanted)), [len(docs) for docs in wanted])
        outbox.send(
            "roots",
            pa.table([all_docs, root_docs(all_docs, labels)], schema=ROOT_SCHEMA),
            KnownReceivers(part, self.parts),
        )
        return outbox.done()


@dataclass(frozen=True)
class LabelStep(_OfLinks):
    """Sends a part's links to the buckets of their clusters' roots."""

    def run(self, unit: Unit) -> Commit:
        rooted = self.rooted(unit)
        outbox = self.outbox(LABELLED, unit)
        outbox.send("links", rooted, ByDoc(self.parts, "root"))
        return outbox.done()

    def rooted(self, unit: Unit) -> pa.Table:
        """The part's links, each with its root, without those between a document and itself."""
        links = self.links(unit.number)
        links = links.filter(pa.array(np.asarray(links["doc_a"]) != np.asarray(links["doc_b"])))
        known = unit.payload["roots"].table(ROOT_SCHEMA).sort_by("doc")
        at = np.searchsorted(np.asarray(known["doc"]), np.asarray(links["doc_a"]))
        return links.append_column("root", known["root"].take(pa.array(at)))
