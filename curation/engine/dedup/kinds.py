"""What kind a dedup method is, which decides what the stage does with its keys and what column it gives.

*links*: documents with an equal key, or pairs that the method names, are duplicates of each other. *spans*: keys are of
parts of the text, and what repeats is listed to be cut. *members*: keys are looked up in filters of earlier corpora.
"""

from typing import Any, Literal

import pyarrow as pa

from curation.dedup.merged_spans import SPANS

COLUMNS = {
    "links": pa.struct([("duplicate_of", pa.int64()), ("copies", pa.int64()), ("cluster", pa.int64())]),
    "spans": pa.struct([("spans", SPANS), ("units", pa.int64()), ("repeated", pa.int64()), ("text_bytes", pa.int64())]),
    "members": pa.struct([("member", pa.bool_())]),
}


def gives_spans(method: Any) -> bool:
    """True for methods whose keys stand for spans of the text; they state `gives_spans`."""
    return bool(getattr(method, "gives_spans", False))


def is_membership(method: Any) -> bool:
    """True for methods that look keys up in what earlier runs left."""
    return hasattr(method, "members")


def gives_links(method: Any) -> bool:
    """True for methods that find documents which are duplicates of each other."""
    return not (gives_spans(method) or is_membership(method))


def compares_vectors(method: Any) -> bool:
    """True for methods whose keys only gather the vectors that are then compared; they state `gives_vectors`."""
    return bool(getattr(method, "gives_vectors", False))


def column(method: Any) -> pa.StructType:
    """The type of the struct column that the method gives."""
    kind: Literal["spans", "members", "links"] = "links"
    if gives_spans(method):
        kind = "spans"
    elif is_membership(method):
        kind = "members"
    return COLUMNS[kind]
