"""Where terms stand: by hand, and as many as are counted."""

import pyarrow as pa

from curation.text.phrases import term_places
from curation.text.phrases.term_places import find_terms
from curation.text.phrases.terms import term_tree

TERMS = ("new york", "york", "ass", "黑人", "@ss")


def places(*values: str | None) -> tuple[list[tuple[int, str, int]], list[int]]:
    """(document, term, word) of each place, and the words of each text."""
    found = find_terms(pa.array(values, pa.large_string()), term_tree([TERMS]))
    rows = zip(found.documents.tolist(), found.terms.tolist(), found.words.tolist(), strict=True)
    return [(document, TERMS[term], word) for document, term, word in rows], found.totals.tolist()


def test_by_hand() -> None:
    assert places("In New  York, York class: ASS!", None, "", "他是黑人吗") == (
        [(0, "new york", 1), (0, "york", 3), (0, "ass", 5), (3, "黑人", 2)],
        [6, 0, 0, 5],
    )


def test_a_sign_is_no_word() -> None:
    assert places("an @ss - york") == ([(0, "@ss", 1), (0, "york", 2)], [3])


def test_no_text_and_no_terms() -> None:
    assert places() == ([], [])
    assert find_terms(pa.array(["a b"]), term_tree([[]])).totals.tolist() == [2]


def test_more_places_than_fit_into_a_buffer() -> None:
    most = term_places._PLACES
    found, totals = places("york", "york " * (2 * most + 3), "ass", "york " * (most - 1), "york ass")
    assert totals == [1, 2 * most + 3, 1, most - 1, 2]
    assert [(document, term) for document, term, word in found if word < 1] == [
        (0, "york"),
        (1, "york"),
        (2, "ass"),
        (3, "york"),
        (4, "york"),
    ]
    assert [word for document, _, word in found if document == 1] == list(range(2 * most + 3))
