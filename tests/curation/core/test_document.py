"""The document schema, its ids and its reasons mask."""

import numpy as np
import pyarrow as pa

from curation.core.document import DOCUMENT, HEAD, RAW, document_id, empty_batch, kept_mask, pack_doc, unpack_doc


def test_document_id_is_stable() -> None:
    # printf 'web\0a.warc\00\0urn:1' | b2sum -l 128
    assert document_id("web", "a.warc", 0, "urn:1") == "448c350be3e8e5be02a55ed3c623b2df"


def test_document_id_keeps_its_parts_apart() -> None:
    parts = [("a", "bc", 1, "1"), ("ab", "c", 1, "1"), ("a", "bc", 11, ""), ("a", "bc", 1, "11"), ("", "abc", 1, "1")]
    ids = {document_id(*one) for one in parts}
    assert len(ids) == len(parts)
    assert all(len(one) == 32 for one in ids)


def test_document_id_takes_lone_surrogates() -> None:
    assert document_id("a", "f", 0, "\ud800") != document_id("a", "f", 0, "\ud801")


def test_pack_doc_at_its_limits() -> None:
    rows = np.array([0, 1, 2**32 - 1])
    docs = pack_doc(2**31 - 1, rows)
    shards, back = unpack_doc(docs)
    assert docs.dtype == np.int64
    assert (docs > 0).all()
    assert shards.tolist() == [2**31 - 1] * 3
    assert back.tolist() == rows.tolist()


def test_pack_doc_orders_by_shard_then_row() -> None:
    assert pack_doc(0, np.array([2**32 - 1]))[0] < pack_doc(1, np.array([0]))[0]


def test_schemas_begin_with_the_head() -> None:
    assert RAW.names[: len(HEAD)] == DOCUMENT.names[: len(HEAD)] == HEAD.names


def test_empty_batch() -> None:
    batch = empty_batch(RAW)
    assert (len(batch), batch.schema) == (0, RAW)


def test_kept_mask() -> None:
    batch = pa.RecordBatch.from_pydict({"drop_reason": pa.array([None, "extract:no_text", ""], pa.string())})
    assert kept_mask(batch).to_pylist() == [True, False, False]
    assert kept_mask(pa.concat_tables([pa.table(batch)] * 2)).to_pylist() == [True, False, False] * 2
