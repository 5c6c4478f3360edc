"""Finds the terms of many lists in one pass over a text. T terms, L lists, N documents, H places of terms.

`curation/text/phrases/terms.py` defines words and how terms match. A term may be in several lists. Of the terms that
begin at one place the longest counts, whatever list it is in.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from curation.account.sealed.rows import Bools, Ints
from curation.text.phrases.term_places import TermPlaces, find_terms
from curation.text.phrases.terms import Terms, term_tree


@dataclass(frozen=True, eq=False)
class TermIndex:
    """`owners` bool[T, L]: whether a list has a term."""

    names: tuple[str, ...]  # of the lists
    tree: Terms
    owners: Bools

    def places(self, text: pa.ChunkedArray) -> TermPlaces:
        """Where each term stands in text[N]."""
        return find_terms(text, self.tree)

    def listed(self, places: TermPlaces) -> tuple[Ints, Ints]:
        """The place int64[K] and the list int64[K] of every place and list that has its term."""
        found, lists = np.nonzero(self.owners[places.terms])
        return found, lists

    def counts(self, places: TermPlaces) -> Ints:
        """int64[N, L]: places of each list's terms in each document."""
        found, lists = self.listed(places)
        keys = places.documents[found] * len(self.names) + lists
        counts = np.bincount(keys, minlength=len(places.totals) * len(self.names))
        return counts.reshape(len(places.totals), len(self.names))


def term_index(lists: Mapping[str, Sequence[str]]) -> TermIndex:
    """The index of lists of terms, in any case."""
    numbers = dict[str, int]()
    pairs = [
        (numbers.setdefault(_folded(term), len(numbers)), number)
        for number, terms in enumerate(lists.values())
        for term in terms
    ]
    owners = np.zeros((len(numbers), len(lists)), np.bool_)
    for term, number in pairs:
        owners[term, number] = True
    return TermIndex(tuple(lists), term_tree([list(numbers)]), owners)


def _folded(term: str) -> str:
    """The term as the tree compares it."""
    return "".join(char.lower()[0] for char in " ".join(term.split()))
