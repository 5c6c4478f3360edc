"""Each method of the room is of one kind, and its column follows."""

import pytest

from curation.dedup.bloom import Bloom
from curation.dedup.exact import Exact
from curation.dedup.line import Line
from curation.dedup.minhash import Minhash
from curation.dedup.paragraph import Paragraph
from curation.dedup.simhash import Simhash
from curation.dedup.substring import Substring
from curation.engine.dedup.kinds import COLUMNS, column, gives_links, gives_spans, is_membership


@pytest.mark.parametrize(
    ("method", "kind"),
    [
        (Exact(), "links"),
        (Minhash(), "links"),
        (Simhash(), "links"),
        (Line(), "spans"),
        (Paragraph(), "spans"),
        (Substring(), "spans"),
        (Bloom(expected_items=5), "members"),
        (Bloom(expected_items=5, unit="paragraph"), "spans"),
    ],
)
def test_kind(method: object, kind: str) -> None:
    assert column(method) == COLUMNS[kind]
    assert gives_links(method) == (kind == "links")
    assert gives_spans(method) == (kind == "spans")
    assert is_membership(method) == isinstance(method, Bloom)
