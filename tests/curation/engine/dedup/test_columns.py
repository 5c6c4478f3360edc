"""Each method of the room is of one kind, and its column follows."""

import pyarrow as pa
import pytest

from curation.core.protocols import COLUMNS, DedupMethod, Links, Members, Spans, Use
from curation.dedup.bloom import Bloom
from curation.dedup.canonical_url import CanonicalUrl
from curation.dedup.exact import Exact
from curation.dedup.line import Line
from curation.dedup.minhash import Minhash
from curation.dedup.paragraph import Paragraph
from curation.dedup.simhash import Simhash
from curation.dedup.substring import Substring
from curation.engine.dedup.columns import MEANINGS, column


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
    assert column(method) == pa.struct(list(COLUMNS[use].items()))


def test_every_field_has_a_meaning() -> None:
    assert {name for column in COLUMNS.values() for name in column} == set(MEANINGS)
