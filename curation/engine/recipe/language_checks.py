"""Refuses limits and files for languages that no document can have which reaches them."""

from collections.abc import Mapping, Sequence

from curation.core.by_language import LANGUAGE
from curation.core.component import Component, ReadsColumns
from curation.core.languages import meant
from curation.core.settings import Path, YamlFile
from curation.engine.recipe.node import Node
from curation.filters.language import Language

BY = ("by_language", "models", "reference", "term_lists")  # options that may be mappings by language


def naming(nodes: Sequence[Node], upstream: Sequence[int]) -> list[Language]:
    """The rule sets of a plan's nodes by which documents that arrive from `upstream` have their language."""
    own = [one for i in upstream for _, one in nodes[i].components if isinstance(one, Language)]
    return own + [one for i in upstream for one in naming(nodes, nodes[i].upstream)]


def check_languages(document: YamlFile, at: Path, component: Component, named_by: Sequence[Language]) -> None:
    """Raises RecipeError for an option of the component that is for a language which `named_by` never keep."""
    if not isinstance(component, ReadsColumns) or LANGUAGE not in component.reads or not named_by:
        return
    kept = sorted({label for one in named_by for label in one.kept()})
    for option, value in vars(component).items():
        for label in value if option in BY and isinstance(value, Mapping) else ():
            if label not in kept:
                reason = f"the language stage finds no such language{meant(label, kept)}"
                if any(label in one.known() for one in named_by):
                    reason = f"the language stage keeps no document in it, only {', '.join(kept)}; remove it"
                raise document.error((*at, option, label), reason)
