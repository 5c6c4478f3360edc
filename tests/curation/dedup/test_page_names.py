"""URLs of one page have one name, and what names no page has none."""

import pyarrow as pa

from curation.dedup.page_names import page_names

SAME = [
    "https://example.org/lemons",
    "http://www.example.org:80/lemons/?utm_source=mail#top",
    "HTTP://EXAMPLE.ORG/lemons",
]


def test_the_canonical_form_is_hashed() -> None:
    first, *others = page_names(pa.array([*SAME, "https://example.org/Lemons"])).to_pylist()
    assert len(first) == 32
    assert others[:2] == [first, first]
    assert others[2] != first


def test_urls_without_a_host_are_hashed_as_they_are() -> None:
    names = page_names(pa.chunked_array([["urn:x:1", "urn:x:2"], ["urn:x:1"]])).to_pylist()
    assert names[0] == names[2] != names[1]
    assert None not in names


def test_no_name() -> None:
    assert (
        page_names(pa.array([None, "", "https://a.example/?mail=%3CEMAIL%3E"], pa.string())).to_pylist() == [None] * 3
    )
    assert page_names(pa.array([], pa.string())).to_pylist() == []
