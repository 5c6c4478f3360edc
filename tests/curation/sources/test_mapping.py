"""Columns of a data set as document batches."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from curation.core.document import DOCUMENT, document_id
from curation.core.protocols import Piece, ReadTally
from curation.sources.mapping import Columns
from curation.text.text_hash import text_hashes

HASH_OF_X = text_hashes(pa.array(["x"]))[0].as_py()


def batches(text: list[str | None], **values: pa.Array) -> list[pa.RecordBatch]:
    columns = {"text": pa.array(text, pa.large_string()), **values}
    source = Columns(paths=(), default_licence="MIT", max_document_bytes=32 << 20)
    return list(source.batches(columns, np.arange(len(text)), Piece("o", name="f"), "s", ReadTally()))


def test_named_leaves_out_what_the_data_set_has_not() -> None:
    assert Columns(paths=(), url="a.b").named() == {"text": "text", "url": "a.b"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_document_bytes": 0}, "max_document_bytes is 0; give 1 or more"),
        ({"text": ""}, "text is the name of a field, not ''"),
        ({"url": ""}, "url is the name of a field, not ''"),
    ],
)
def test_options_that_no_document_meets(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Columns(paths=(), **options)


def test_missing_columns_are_null() -> None:
    (batch,) = batches(["x", None], licence=pa.array(["GPL-3.0", None]))
    assert batch.schema == DOCUMENT
    assert batch.column("licence").to_pylist() == ["GPL-3.0", "MIT"]
    assert batch.column("drop_reason").to_pylist() == [None, "extract:no_text"]
    assert batch.column("doc_id").to_pylist() == [document_id("s", "f", 0, HASH_OF_X), document_id("s", "f", 1, "")]
    assert batch.column("url").null_count == 2


def test_batches_are_cut_at_1000_rows() -> None:
    assert [len(batch) for batch in batches(["x"] * 2001)] == [1000, 1000, 1]


def test_batches_are_cut_at_16_mebibytes() -> None:
    half = "x" * (8 << 20)
    assert [len(batch) for batch in batches([half, half, "y", half * 3, None])] == [2, 1, 1, 1]


def test_no_rows_no_batch() -> None:
    assert batches([]) == []
