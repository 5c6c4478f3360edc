"""Lists of terms: cues of dialects, mentions of groups of people, and attributes that stereotypes are made of.

The built-in lists (terms.yaml) are short, ours, and for a first look: cues of dialects in several languages, mentions
and attributes in English. Give lists of your own by path, one term per line.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from curation.core.errors import UserError
from curation.models.lists.terms import read_terms

Named = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class TermLists:
    """The terms of each list, by its name."""

    dialects: Named
    mentions: Named
    attributes: Named


def term_lists(terms: Sequence[str] = (), attributes: Sequence[str] = ()) -> TermLists:
    """The built-in lists, and those of files given as "NAME=FILE"; a file replaces the list of its name, and `terms`
    with another name are mentions. Raises UserError for another form, InputError for a file without terms."""
    embedded = yaml.safe_load(Path(__file__).with_name("terms.yaml").read_text(encoding="utf-8"))
    own = _read(terms, "terms")
    dialects = {name: own.pop(name, listed) for name, listed in _named(embedded["dialects"]).items()}
    mentions = {**_named(embedded["mentions"]), **own}
    attributed = {**_named(embedded["attributes"]), **_read(attributes, "attributes")}
    return TermLists(dialects=dialects, mentions=mentions, attributes=attributed)


def _named(lists: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(terms) for name, terms in lists.items()}


def _read(given: Sequence[str], option: str) -> dict[str, tuple[str, ...]]:
    lists = dict[str, tuple[str, ...]]()
    for value in given:
        name, mark, file = value.partition("=")
        if not mark or not name.strip() or not file:
            raise UserError(f"--{option} {value}: expected NAME=FILE, such as nurses=nurses.txt with one term per line")
        lists[name.strip()] = read_terms(file)
    return lists
