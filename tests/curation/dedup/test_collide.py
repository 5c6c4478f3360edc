"""Groups of equal keys, against hand-made rows and a slow, obvious grouping."""

from collections import defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from curation.dedup.collide import collide

Row = tuple[int, int, int, int]


def verdicts(rows: list[Row]) -> set[Row]:
    hi, lo, doc, method = (np.array([row[i] for row in rows], t) for i, t in enumerate(("u8", "u8", "i8", "u1")))
    found = collide(hi, lo, doc, method)
    return set(zip(*(column.tolist() for column in found), strict=True))


def test_a_group_its_survivor_and_a_unique_document() -> None:
    rows = [(7, 1, 30, 0), (7, 1, 10, 0), (7, 1, 20, 0), (7, 2, 40, 0)]
    assert verdicts(rows) == {(10, 10, 3, 0), (20, 10, 3, 0), (30, 10, 3, 0)}


def test_methods_do_not_collide_with_each_other() -> None:
    assert verdicts([(7, 1, 10, 0), (7, 1, 20, 1)]) == set()


def test_a_document_that_gives_its_key_twice_is_no_copy_of_itself() -> None:
    assert verdicts([(7, 1, 10, 0), (7, 1, 10, 0)]) == set()


def test_no_rows() -> None:
    assert verdicts([]) == set()


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 20), st.integers(0, 1))))
def test_like_a_dictionary_of_sets(rows: list[Row]) -> None:
    groups: dict[tuple[int, int, int], set[int]] = defaultdict(set)
    for hi, lo, doc, method in rows:
        groups[hi, lo, method].add(doc)
    expected = {(doc, min(docs), len(docs), key[2]) for key, docs in groups.items() if len(docs) > 1 for doc in docs}
    assert verdicts(rows) == expected
