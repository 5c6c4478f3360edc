"""What `winnow evalsets seen` looks for: an item of the run's evaluation sets by its id, or any text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from curation.account.evalsets.contamination_checks import indexes
from curation.account.sealed.run_folder import RunFolder
from curation.core.close_names import close_names
from curation.core.errors import InputError
from curation.models.evalsets.held import HeldIndex, hold, whole
from curation.models.evalsets.index import EvalsetIndex, Lookup, array_name
from curation.models.evalsets.sets import ITEMS

SIZE = 8  # tokens of an n-gram by which parts of an item are found
LEAST = 13  # shared tokens that are evidence, of an item that has so many
TEXT_SET = "text"
_ID = re.compile(r"[^\s/]+/\S+")


@dataclass(frozen=True)
class Item:
    """`id` is None for a text of the user's own, which is the question; `same` are ids of items with that text."""

    id: str | None
    question: str
    answer: str
    choices: tuple[str, ...]
    same: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class WantedItem:
    """The item and by what it is found: its question as it is, and the n-grams of all its parts."""

    item: Item
    lookup: Lookup  # of the whole question
    parts: HeldIndex | None  # None if no n-gram fits into one of its parts

    @property
    def least(self) -> int:
        """Tokens that a text must share."""
        if self.parts is None:
            return LEAST
        return min(LEAST, int(self.parts.array(array_name("counts", SIZE))[0, 5]))


def wanted(run: RunFolder, given: str) -> WantedItem:
    """An id is `set/…` without white space, anything else is a text.

    Raises InputError for an id that no set has, for one in a run without evaluation sets, and a text without letters.
    """
    known = indexes(run)
    item = _named(run, known, given) if _ID.fullmatch(given) else _own(known, given)
    lookup = whole(item.question)
    if lookup is None:
        raise InputError(f"{given!r} has no letters or digits to look for; give a text with some")
    row = {"set": TEXT_SET, "id": "0", "row": 0, "question": item.question, "answer": item.answer}
    table = pa.Table.from_pylist([{**row, "choices": list(item.choices)}], schema=ITEMS)
    try:
        return WantedItem(item, lookup, hold(table, (SIZE,)))
    except InputError:  # it is shorter than an n-gram
        return WantedItem(item, lookup, None)


def _named(run: RunFolder, known: Sequence[EvalsetIndex], given: str) -> Item:
    if not known:
        raise InputError(
            f"{run.folder} has no evaluation sets, so {given} names no item there; give the item's text instead"
        )
    for index in known:
        found = index.item(given)
        if found is not None:
            return Item(given, found["question"], found["answer"], tuple(found["choices"]))
    sets = [name for index in known for name in index.sets]
    own = given.partition("/")[0]
    if own not in sets:
        close = close_names(own, sets)
        hint = f"did you mean {close[0]}/…?" if close else f"it has {', '.join(sets)}"
        raise InputError(f"the run has no evaluation set {own!r}; {hint}")
    ids = [name for index in known for name in index.names.to_pylist() if name.startswith(f"{own}/")]
    close = close_names(given, ids, cutoff=0.0)
    raise InputError(f"{own} has no item {given!r}; did you mean {close[0]!r}?")


def _own(known: Sequence[EvalsetIndex], given: str) -> Item:
    same = [index.names[int(number)].as_py() for index in known for number in index.numbers(given)]
    return Item(None, given, "", (), tuple(dict.fromkeys(same)))
