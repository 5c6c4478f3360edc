"""Terms of several lists in one pass."""

import pyarrow as pa

from curation.account.audit.term_index import term_index

LISTS = {"sea": ("ship", "red sea", "Crew"), "space": ("SHIP", "crew"), "colour": ("red",)}


def test_a_term_in_two_lists_counts_in_both() -> None:
    index = term_index(LISTS)
    places = index.places(pa.chunked_array([pa.array(["The ship's crew, the red sea", None, "red ship ship"])]))
    assert index.counts(places).tolist() == [[3, 2, 0], [0, 0, 0], [2, 2, 1]]  # of "red sea" the longest term counts


def test_no_text() -> None:
    index = term_index(LISTS)
    assert index.counts(index.places(pa.chunked_array([], pa.large_string()))).shape == (0, 3)
