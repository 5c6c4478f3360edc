"""Each method of the room is of one kind, and its column follows."""

import pyarrow as pa
import pytest

from curation.core.protocols import DedupMethod, Links, Members, Spans
from curation.dedup.bloom import Bloom
from curation.dedup.canonical_url import CanonicalUrl
from curation.dedup.exact import Exact
from curation.dedup.line import Line
from curation.dedup.minhash import Minhash
from curation.dedup.paragraph import Paragraph
from curation.dedup.simhash import Simhash
from curation.dedup.substring import Substring
from curation.engine.recipe.dedup_columns import LINKS_COLUMN, MEMBERS_COLUMN, SPANS_COLUMN, column, lists_spans


@pytest.mark.parametrize(
    ("method", "kind", "expected"),
    [
        (Exact(), Links, LINKS_COLUMN),
        (CanonicalUrl(), Links, LINKS_COLUMN),
        (Minhash(), Links, LINKS_COLUMN),
        (Simhash(), Links, LINKS_COLUMN),
        (Line(), Spans, SPANS_COLUMN),
        (Paragraph(), Spans, SPANS_COLUMN),
        (Substring(), Spans, SPANS_COLUMN),
        (Bloom(expected_items=5), Members, MEMBERS_COLUMN),
        (Bloom(expected_items=5, unit="url"), Members, MEMBERS_COLUMN),
        (Bloom(expected_items=5, unit="paragraph"), Members, SPANS_COLUMN),
    ],
)
def test_kind(method: DedupMethod, kind: type, expected: pa.StructType) -> None:
    assert [isinstance(method, other) for other in (Links, Spans, Members)] == [
        other is kind for other in (Links, Spans, Members)
    ]
    assert column(method) == expected
    assert lists_spans(method) == (expected == SPANS_COLUMN)
