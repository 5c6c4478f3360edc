"""How strongly words of attributes go with mentions of a group, by normalised pointwise mutual information.

Texts are cut into blocks of 20 words. With p the share of blocks that hold a term of the group, an attribute, or both,

    npmi = log(p(both) / (p(group) p(attribute))) / -log p(both)

which is 1 if they only occur together, 0 if they are independent, and negative if they avoid each other.

Source: Bouma 2009, "Normalized (pointwise) mutual information in collocation extraction"; Aka et al. 2021, "Measuring
model biases in the absence of ground truth" (arXiv:2103.03417), who compare groups by it. Choices that they leave open:
the blocks, which begin with the text and do not overlap. G groups, A attributes, L = G + A lists, N documents.
"""

from dataclasses import dataclass
from math import log

import numpy as np
from scipy.sparse import csr_array

from curation.account.audit.term_index import TermIndex, term_index
from curation.account.audit.term_lists import Named
from curation.account.sealed.rows import Ints
from curation.text.phrases.term_places import TermPlaces

BLOCK_WORDS = 20


@dataclass(frozen=True)
class Cooccurrence:
    """Blocks with both, with the group, with the attribute, and all; npmi None where no block has both."""

    both: int
    group: int
    attribute: int
    blocks: int
    npmi: float | None


@dataclass(frozen=True)
class Association:
    """A group with an attribute, in the text that the run began with and in what it kept to its end."""

    group: str
    theme: str
    attribute: str
    before: Cooccurrence
    after: Cooccurrence


@dataclass(eq=False)
class Blocks:
    """Sums over texts. The first G lists of the index are groups, the others one attribute each."""

    single: Ints  # int64[L]: blocks with a list's term
    joint: Ints  # int64[G, A]
    total: int = 0

    @classmethod
    def of(cls, groups: int, lists: int) -> "Blocks":
        return cls(np.zeros(lists, np.int64), np.zeros((groups, lists - groups), np.int64))

    @property
    def groups(self) -> int:
        return len(self.joint)

    @property
    def lists(self) -> int:
        return len(self.single)

    def add(self, index: TermIndex, places: TermPlaces) -> None:
        """Adds N texts."""
        per_document = -(-places.totals // BLOCK_WORDS)
        firsts = np.cumsum(per_document) - per_document
        total = int(per_document.sum())
        found, lists = index.listed(places)
        blocks = firsts[places.documents[found]] + places.words[found] // BLOCK_WORDS
        held = np.unique(blocks * self.lists + lists)
        inside = csr_array((np.ones(len(held), np.int64), divmod(held, self.lists)), (total, self.lists))
        self.single += inside.sum(axis=0)
        self.joint += (inside[:, : self.groups].T @ inside[:, self.groups :]).toarray()
        self.total += total

    def pair(self, group: int, attribute: int) -> Cooccurrence:
        both = int(self.joint[group, attribute])
        single = int(self.single[group])
        other = int(self.single[self.groups + attribute])
        return Cooccurrence(both, single, other, self.total, npmi(both, single, other, self.total))


def npmi(both: int, group: int, attribute: int, blocks: int) -> float | None:
    """In [-1, 1]; None where no block has both."""
    if not both:
        return None
    if both == blocks:  # in every block: nothing to tell
        return 0.0
    return log(both * blocks / (group * attribute)) / -log(both / blocks)


def pair_index(groups: Named, attributes: Named) -> TermIndex:
    """An index of the groups, then of each attribute as a list of its own."""
    return term_index({**groups, **{f"{theme}: {word}": (word,) for theme, word in _words(attributes)}})


def _words(attributes: Named) -> list[tuple[str, str]]:
    return [(theme, word) for theme, words in attributes.items() for word in dict.fromkeys(words)]


def associations(before: Blocks, after: Blocks, groups: Named, attributes: Named) -> tuple[Association, ...]:
    """Every group with every attribute that some block holds beside it, before or after. A group's own terms are no
    attributes of it."""
    found = []
    for group, (name, terms) in enumerate(groups.items()):
        own = {term.lower() for term in terms}
        for number, (theme, word) in enumerate(_words(attributes)):
            if (before.joint[group, number] or after.joint[group, number]) and word.lower() not in own:
                found.append(Association(name, theme, word, before.pair(group, number), after.pair(group, number)))
    return tuple(found)
