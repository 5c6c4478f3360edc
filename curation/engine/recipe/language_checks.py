"""Refuses limits and files for languages that no document can have which reaches them."""

from collections.abc import Mapping, Sequence
from typing import Any

from curation.core.by_language import LANGUAGE
from curation.core.languages import meant
from curation.core.settings import Path, YamlFile

BY = ("by_language", "reference", "term_lists")  # options that may be mappings by language


def naming(nodes: Sequence[Any], upstream: Sequence[int]) -> list[Any]:
    """The rule sets of a plan's nodes by which documents that arrive from `upstream` have their language."""
    own = [part for i in upstream for key, part in nodes[i].parts if key == LANGUAGE]
    return own + [part for i in upstream for part in naming(nodes, nodes[i].upstream)]


def check_languages(document: YamlFile, at: Path, part: Any, named_by: Sequence[Any]) -> None:
    """Raises RecipeError for an option of the part that is for a language which `named_by` never keep."""
    if LANGUAGE not in getattr(part, "reads", ()) or not named_by:
        return
    kept = sorted({label for one in named_by for label in one.kept()})
    for option in BY:
        given = getattr(part, option, None)
        for label in given if isinstance(given, Mapping) else ():
            if label not in kept:
                reason = f"the language stage finds no such language{meant(label, kept)}"
                if any(label in one.known() for one in named_by):
                    reason = f"the language stage keeps no document in it, only {', '.join(kept)}; remove it"
                raise document.error((*at, option, label), reason)
