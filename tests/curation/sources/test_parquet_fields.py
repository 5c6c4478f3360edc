"""Which columns a file must have, and in which types."""

from collections.abc import Mapping

import pyarrow as pa
import pytest

from curation.core.errors import InputError
from curation.sources.parquet_fields import check_fields, values_of

INNER = pa.struct([("url", pa.string()), ("n", pa.int64())])
SCHEMA = pa.schema(
    [
        ("text", pa.string()),
        ("meta", INNER),
        ("meta.n", pa.string()),
        ("a.b", pa.struct([("c", pa.binary_view())])),
        ("kind", pa.dictionary(pa.int32(), pa.large_string())),
        ("list", pa.list_(pa.string())),
        ("when", pa.timestamp("s")),
        ("none", pa.null()),
        ("twice", pa.string()),
        ("twice", pa.string()),
        ("pair", INNER),
        ("pair", INNER),
        ("same", pa.struct([("u", pa.string()), ("u", pa.string())])),
    ]
)


@pytest.mark.parametrize(
    "fields",
    [
        {"text": "text", "url": "meta.url", "id": "meta.n", "crawled_at": "when"},
        {"text": "a.b.c", "licence": "kind", "declared_language": "none"},
        {"text": "meta.n"},
    ],
)
def test_fields_that_can_be_read(fields: Mapping[str, str]) -> None:
    check_fields(SCHEMA, fields, "x.parquet")


@pytest.mark.parametrize(
    ("name", "field", "error"),
    [
        ("url", "meta.ulr", r"^x.parquet has no column 'meta.ulr'; it has text, meta, meta.url, .* name is meta.url$"),
        ("text", "twice", r"^x.parquet has 2 columns 'twice'; rename or remove all but one of them$"),
        ("url", "pair.url", r"^x.parquet has 2 columns 'pair.url'"),
        ("url", "same.u", r"^x.parquet has 2 columns 'same.u'"),
        ("text", "meta", r"^column 'meta' of x.parquet is struct<.*>; text must be text: write `text: meta.url` for"),
        ("text", "list", r"^column 'list' of x.parquet is list<.*>; text must be text$"),
        ("text", "when", r"is timestamp\[s\]; text must be text$"),
        ("id", "when", r"id must be text$"),
    ],
)
def test_fields_that_cannot(name: str, field: str, error: str) -> None:
    with pytest.raises(InputError, match=error):
        check_fields(SCHEMA, {name: field}, "x.parquet")


def test_values() -> None:
    row = {"text": "t", "meta": {"url": "u", "n": 1}, "meta.n": "literal", "a.b": {"c": b"deep"}}
    batch = pa.RecordBatch.from_pylist([row], schema=pa.schema(list(SCHEMA)[:4]))
    found = {field: values_of(batch, field).to_pylist()[0] for field in ("text", "meta.url", "meta.n", "a.b.c")}
    assert found == {"text": "t", "meta.url": "u", "meta.n": "literal", "a.b.c": b"deep"}
