"""What stands beside a text is redacted with it, and left out where a rewriter fails on it."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.protocols import Redacting
from curation.models.redaction.beside import columns_beside, redacted_beside, redacting, with_quotes

EXTRACT = pa.struct([("title", pa.string()), ("nodes", pa.int64())])
SCHEMA = pa.schema(
    [
        ("url", pa.string()),
        ("licence", pa.string()),
        ("text", pa.large_string()),
        ("extract", EXTRACT),
        ("n", pa.int64()),
    ]
)


class Names(Redacting):
    """Takes out jane, and fails on joe."""

    def rewrite(self, batch: pa.RecordBatch) -> tuple[pa.Array, dict[str, pa.Array]]:
        return self.words(batch.column("text")), {}

    def urls(self, urls: pa.Array) -> pa.Array:
        return self.words(urls)

    def words(self, texts: pa.Array) -> pa.Array:
        if pc.any(pc.match_substring(texts, "joe")).as_py():
            raise ZeroDivisionError
        return pc.replace_substring(texts, "jane", "<NAME>")


def row(url: str | None, licence: str | None, extract: dict[str, Any] | None) -> dict[str, Any]:
    return {"url": url, "licence": licence, "text": "jane", "extract": extract, "n": 1}


def test_urls_licences_and_titles() -> None:
    rows = [row("http://a.org/jane", "by jane", {"title": "of jane", "nodes": 3}), row(None, None, None)]
    made = redacted_beside(Names(), pa.RecordBatch.from_pylist(rows, SCHEMA))
    assert made.schema.equals(SCHEMA)
    assert made.to_pylist() == [row("http://a.org/<NAME>", "by <NAME>", {"title": "of <NAME>", "nodes": 3}), rows[1]]
    assert redacted_beside(Names(), made.slice(0, 0)).num_rows == 0


def test_of_what_a_rewriter_fails_on_only_the_host_is_left() -> None:
    rows = [row("http://a.org/joe", "by joe", {"title": "of joe", "nodes": 3}), row("http://a.org/x", "y", None)]
    made = redacted_beside(Names(), pa.RecordBatch.from_pylist(rows, SCHEMA))
    assert made.to_pylist() == [row("http://a.org/", None, {"title": None, "nodes": 3}), rows[1]]


def test_which_columns_and_components() -> None:
    assert columns_beside(SCHEMA) == ["url", "licence", "extract"]
    names: Any = Names()
    assert redacting((("names", names), ("other", object()))) == [names]


def test_titles_of_other_rows() -> None:
    own = pa.array([{"title": "a", "nodes": 1}, {"title": "b", "nodes": 2}, None], EXTRACT)
    others = pa.array([{"title": "c", "nodes": 9}, None, None], EXTRACT)
    assert with_quotes(own, others).to_pylist() == [{"title": "c", "nodes": 1}, {"title": None, "nodes": 2}, None]
