"""Each method of the room is of one kind; what it adds, and the defaults of what it does, follow."""

import pyarrow as pa
import pytest

from curation.core.dedup_methods import COLUMNS, DedupMethod, Links, Members, Spans, Use
from curation.dedup.bloom import Bloom
from curation.dedup.canonical_url import CanonicalUrl
from curation.dedup.exact import Exact
from curation.dedup.line import Line
from curation.dedup.minhash import Minhash
from curation.dedup.paragraph import Paragraph
from curation.dedup.simhash import Simhash
from curation.dedup.substring import Substring
from tests.support import documents


@pytest.mark.parametrize(
    ("method", "kind", "use"),
    [
        (Exact(), Links, "links"),
        (CanonicalUrl(), Links, "links"),
        (Minhash(), Links, "links"),
        (Simhash(), Links, "links"),
        (Line(), Spans, "spans"),
        (Paragraph(), Spans, "spans"),
        (Substring(), Spans, "spans"),
        (Bloom(expected_items=5), Members, "members"),
        (Bloom(expected_items=5, unit="url"), Members, "members"),
        (Bloom(expected_items=5, unit="paragraph"), Members, "spans"),
    ],
)
def test_kind(method: DedupMethod, kind: type, use: Use) -> None:
    assert [isinstance(method, other) for other in (Links, Spans, Members)] == [
        other is kind for other in (Links, Spans, Members)
    ]
    assert method.use == use
    assert method.signal_types() == COLUMNS[use]


def test_a_method_of_no_use_adds_nothing() -> None:
    assert DedupMethod.use is None
    assert DedupMethod().signal_types() == {}


def test_defaults() -> None:
    method = Exact()
    batch = documents("a", "b", "a")
    spans = pa.array([[], None, []])
    none = method.keys(batch).hi[:0]
    assert (method.refine(batch, none, none).hi == method.keys(batch).hi).all()
    assert method.fit(batch.column("text"), spans) is spans
    assert (method.writes, method.sizing(1), method.lines(1)) == (False, None, ())
    assert Line().keys_each() is None
