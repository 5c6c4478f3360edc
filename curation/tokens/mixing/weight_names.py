"""Finds the leaves that a key of `weights` or `max_epochs` stands for.

web/en    that leaf
web       a source, or everything below a prefix: web/en, web/de
*/en      the label `en` of every source and of every other run
others    whatever no other key stands for

A leaf belongs to the first of these kinds that has a key for it; so web/en has its own weight beside */en.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from curation.core.close_names import nearest
from curation.core.errors import RecipeError
from curation.core.wording import listed

ALL = ""  # covers every leaf: the one group of a mix without weights
OTHERS = "others"
EVERY = "*/"  # begins a key that stands for a label of every source
_OF_EVERY = re.compile(r"\*/[A-Za-z0-9_.-]+")
_NAMED = 5  # labels in a message


@dataclass(frozen=True)
class SourceLabels:
    """The labels of a source with `split_by`: those that a key may name, and those that documents may have where the
    mix is. None where only the documents tell."""

    names: tuple[str, ...] | None = None
    arriving: tuple[str, ...] | None = None


Split = Mapping[str, SourceLabels]  # source with split_by -> its labels
WHOLE: Split = MappingProxyType({})  # nothing is split


def covers(key: str, leaf: str) -> bool:
    """Whether a key is the leaf or a prefix of it."""
    return key in (ALL, leaf) or leaf.startswith(f"{key}/")


def key_of(leaf: str, keys: Collection[str]) -> str | None:
    """The key that stands for the leaf; None if none does."""
    own = next((key for key in keys if covers(key, leaf)), None)
    if own is not None:
        return own
    source, _, label = leaf.rpartition("/")
    if source and EVERY + label in keys:
        return EVERY + label
    return OTHERS if OTHERS in keys else None


def overlap(keys: Iterable[str]) -> tuple[str, str] | None:
    """Two of the keys, neither with * nor `others`, that cover the same leaves, if there are any."""
    plain = (key for key in keys if not key.startswith(EVERY))
    ordered = sorted(plain, key=lambda key: key.split("/"))  # a prefix comes right before what it covers
    return next(((first, second) for first, second in pairwise(ordered) if covers(first, second)), None)


def check_stars(keys: Iterable[str], where: str = "") -> None:
    """Raises RecipeError for a * elsewhere than in the place of all sources; `where` begins the message."""
    for key in keys:
        if "*" in key and not _OF_EVERY.fullmatch(key):
            raise RecipeError(f"{where}{key!r} has a * that stands for nothing; `*/en` is the label en of every source")


def check_keys(option: str, keys: Collection[str], leaves: Sequence[str], split: Split = WHOLE) -> None:
    """Raises RecipeError for a key that covers none of the leaves and nothing that `split` may hold."""
    possible = [*leaves, *(leaf for source in split for leaf in _parts(source, split[source].names))]
    unknown = [source for source, labels in split.items() if labels.names is None]
    if OTHERS in keys and any(covers(OTHERS, leaf) for leaf in possible):
        raise RecipeError(f"{option} names 'others', which also is a source here; give the source another name")
    for key in keys:
        of_every = key.startswith(EVERY)
        known = any(leaf.endswith(key[1:]) if of_every else covers(key, leaf) for leaf in possible)
        if not known and key != OTHERS and not any(of_every or covers(source, key) for source in unknown):
            raise RecipeError(f"{option} names {key!r}, which no pack holds{nearest(key, possible)}")


def check_covered(keys: Collection[str], leaves: Sequence[str], split: Split = WHOLE) -> None:
    """Raises RecipeError for a leaf, or a label that documents of a source in `split` may have, without a weight."""
    for leaf in leaves:
        labels = split.get(leaf)
        if labels is not None and labels.arriving is None and key_of(leaf, keys) is None:
            raise RecipeError(
                f"source {leaf!r} may have more labels than have a weight; give the rest one as 'others' (0 leaves it "
                "out), or name the labels in split_by.values or in the languages of the filter `language`"
            )
        parts = [leaf] if labels is None or labels.arriving is None else list(_parts(leaf, labels.arriving))
        if missing := [part for part in parts if key_of(part, keys) is None]:
            what = f"source {leaf!r}" if missing == [leaf] else listed([repr(part) for part in missing], _NAMED)
            raise RecipeError(f"no weight for {what}; give it one (0 leaves it out), or 'others' one for the rest")


def several(key: str, keys: Collection[str], leaves: Sequence[str], split: Split) -> bool:
    """Whether the key, one of `keys`, may stand for more than one leaf. A source in `split` has several unless the key
    names a part."""
    return sum(_counted(key, keys, leaf, split) for leaf in leaves) > 1


def _counted(key: str, keys: Collection[str], leaf: str, split: Split) -> int:
    """Leaves that the key may stand for among the leaf's parts, up to 2; without `split`, the leaf is its one part."""
    if leaf not in split or covers(key, leaf):
        return (key_of(leaf, keys) == key) * (2 if leaf in split else 1)
    if key == OTHERS:
        return 2 * (key_of(leaf, keys) == OTHERS)
    return int(key.startswith(EVERY) and key_of(leaf + key[1:], keys) == key)


def _parts(source: str, labels: Iterable[str] | None) -> Iterator[str]:
    return (f"{source}/{label}" for label in labels or ())
