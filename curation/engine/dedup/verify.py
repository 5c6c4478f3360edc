"""Third and fourth step: candidate pairs are compared by evidence, a signature or shingles made anew from text.

*fetch*, per block: each candidate whose second document is in the block is sent, with that document's evidence, to the
block of its first document. *verify*, per block: the evidence of both documents is compared. So each task reads its own
shards only, and no text moves.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.commits import Commit
from curation.core.composed import Files
from curation.core.dedup_methods import Methods, Verifies
from curation.core.document import pack_doc
from curation.core.needs import MEMORY, Needs
from curation.core.protocols import Ints
from curation.core.threads import map_threads
from curation.engine.dedup.keys import CANDIDATES
from curation.engine.dedup.layout import FETCHED, LINK_SCHEMA, VERIFIED, ByBlock, Layout, distinct, methods_of
from curation.engine.executor.work import Unit
from curation.engine.run.part_files import one_batch, read_part
from curation.engine.run.routing import KnownReceivers, Outbox
from curation.engine.run.sent_files import Slices, read_file
from curation.text.kernels.radix import order_by

Bools = npt.NDArray[np.bool_]
DOCUMENT_BYTES = 1700  # of a block's task, for each document that it has
PAIRS_AT_ONCE = 65_536  # evidence of so many pairs is held side by side


@dataclass(frozen=True)
class _PerBlock:
    """`texts` are the files of each shard, earlier ones included, where evidence is made from text; `documents` is the
    number of documents in all shards."""

    layout: Layout
    methods: Methods
    texts: tuple[Files, ...]
    documents: int

    @property
    def needs(self) -> Needs:
        return Needs(memory=MEMORY + DOCUMENT_BYTES * self.documents // self.layout.blocks)

    def evidence(self, block: int, key: str, method: Verifies, docs: Ints) -> pa.Array:
        """Evidence of documents int64[D] (ascending, in the block), [D]; null where there is none."""
        pieces = []
        for shard in self.layout.shards_of(block):
            low, high = np.searchsorted(docs, [shard << 32, (shard + 1) << 32])
            if low < high:
                pieces.append(self._of_shard(shard, key, method, docs[low:high]))
        return pa.concat_arrays(pieces)

    def _of_shard(self, shard: int, key: str, method: Verifies, docs: Ints) -> pa.Array:
        if method.evidence_type() is not None:
            own = shard < self.layout.shards  # of an earlier stage, all rows that it read count
            return _from_text(self.texts[shard], shard, method, docs, kept_only=own)
        signed = read_file(self.layout.signatures(shard, key))
        known = pack_doc(shard, np.asarray(signed["doc"]) & 0xFFFFFFFF)
        at = np.searchsorted(known, docs)
        assert np.array_equal(known[at], docs), "every candidate has a signature"
        return signed["signature"].combine_chunks().take(pa.array(at))


def _from_text(files: Files, shard: int, method: Verifies, docs: Ints, *, kept_only: bool) -> pa.Array:
    pieces = []
    for table in read_part(files, columns=method.reads, kept_only=kept_only):
        own = pack_doc(shard, np.asarray(table["_row"]))
        asked = table.filter(pa.array(np.isin(own, docs, assume_unique=True)))
        if asked.num_rows:
            pieces.append(method.evidence(one_batch(asked)))
    return pa.concat_arrays(pieces)


@dataclass(frozen=True, eq=False)
class Candidates:
    """The input of a block's fetch task: the candidates that buckets sent, and the block's shards that have candidates
    of their own."""

    sent: Slices
    shards: tuple[int, ...]

    @property
    def path(self) -> str:
        return self.sent.path


@dataclass(frozen=True)
class FetchStep(_PerBlock):
    """Sends the candidates of a block to the block of their first document, with each second document's evidence."""

    def run(self, unit: Unit) -> Commit:
        layout = self.layout
        outbox = Outbox(self.layout.folder, FETCHED, unit.number)
        own_files = [layout.file(layout.keyed, CANDIDATES, shard) for shard in unit.payload.shards]
        candidates = pa.concat_tables([unit.payload.sent.table(LINK_SCHEMA), *map_threads(read_file, own_files)])
        pairs = 0
        to = ByBlock(layout, "doc_a")
        for number, key, method in methods_of(self.methods, Verifies):
            own = distinct(candidates.filter(np.asarray(candidates["method"]) == number))
            outbox.send(f"{key}-pairs", own, to)
            sent, at = _sent(np.asarray(own["doc_b"]), to.of(own))
            docs, index = np.unique(sent, return_inverse=True)
            values = pa.nulls(0, compared_type(method))
            if docs.size:
                values = self.evidence(unit.number, key, method, docs)
            evidence = pa.table({"doc": pa.array(sent), "evidence": values.take(pa.array(index))})
            outbox.send(f"{key}-evidence", evidence, KnownReceivers(at, layout.blocks))
            pairs += own.num_rows
        return outbox.done(pairs=pairs)


def compared_type(method: Verifies) -> pa.DataType:
    """The type of what the method compares."""
    of_text = method.evidence_type()
    return method.signature_type() if of_text is None else of_text


def _sent(doc: Ints, goes_to: Ints) -> tuple[Ints, Ints]:
    """Each document once per block that it goes to: (doc, block), sorted by block and document."""
    order = order_by(goes_to, doc)
    doc = doc[order]
    goes_to = goes_to[order]
    fresh = np.ones(len(doc), bool)
    fresh[1:] = (doc[1:] != doc[:-1]) | (goes_to[1:] != goes_to[:-1])
    return doc[fresh], goes_to[fresh]


@dataclass(frozen=True)
class VerifyStep(_PerBlock):
    """Makes links of a block's candidates where the evidence of both documents agrees."""

    def run(self, unit: Unit) -> Commit:
        links = [LINK_SCHEMA.empty_table()]
        tried = 0
        for _, key, method in methods_of(self.methods, Verifies):
            pairs = unit.payload[f"{key}-pairs"].table(LINK_SCHEMA)
            tried += pairs.num_rows
            if pairs.num_rows:
                agree, equal = self._agree(unit, key, method, pairs)
                at = pairs.schema.get_field_index("equal")
                links.append(pairs.set_column(at, "equal", pa.array(equal)).filter(pa.array(agree)))
        verified = pa.concat_tables(links)
        outbox = Outbox(self.layout.folder, VERIFIED, unit.number)
        if verified.num_rows:
            outbox.put("links", verified)
        return outbox.done(tried=tried, links=verified.num_rows)

    def _agree(self, unit: Unit, key: str, method: Verifies, pairs: pa.Table) -> tuple[Bools, Bools]:
        """(bool[M], bool[M]): which of M pairs agree, and which are equal by signatures that prove it."""
        a = np.asarray(pairs["doc_a"])
        b = np.asarray(pairs["doc_b"])
        held = np.unique(a)
        own = self.evidence(unit.number, key, method, held)
        schema = pa.schema([("doc", pa.int64()), ("evidence", compared_type(method))])
        other = unit.payload[f"{key}-evidence"].table(schema)
        # ascending: blocks and documents in order
        evidence = other["evidence"]
        known = np.asarray(other["doc"])
        index = order_by(known)
        agree = np.empty(len(a), bool)
        equal = np.zeros(len(a), bool)
        for start in range(0, len(a), PAIRS_AT_ONCE):
            part = slice(start, start + PAIRS_AT_ONCE)
            left = own.take(pa.array(np.searchsorted(held, a[part])))
            right = evidence.take(pa.array(index[np.searchsorted(known[index], b[part])]))
            right = right.combine_chunks()
            agree[part] = method.agree(left, right)
            if method.evidence_type() is None:
                equal[part] = np.asarray(pc.equal(left, right))
        return agree, equal
