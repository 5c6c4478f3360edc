"""The languages of the documents that reach a stage, from the `language` filters before it in the recipe.

A recipe that states limits for a language of which no document is left is refused; kits may have any language.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from curation.account.sealed.components import BY_LANGUAGE, items_before
from curation.core.by_language import LANGUAGE
from curation.core.verbs import FILTER
from curation.filters.language import Language


def kept_languages(recipe: Mapping[str, Any], item: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Labels that the `language` filters in or before the stage `item` of a stored recipe keep; None where there are
    none, or where no option of the stage differs by language."""
    verbs = [value for value in item.values() if isinstance(value, Mapping)]
    if not any(
        BY_LANGUAGE in options for by_key in verbs for options in by_key.values() if isinstance(options, Mapping)
    ):
        return None
    items = [one.get(FILTER.name, {}) for one in (*items_before(recipe, item), item)]
    found = [sets[LANGUAGE] for sets in items if LANGUAGE in sets]
    names = {field.name for field in fields(Language)}
    filters = [Language(**{name: options[name] for name in options if name in names}) for options in found]
    return tuple(sorted({label for one in filters for label in one.kept()})) if filters else None


def without_others(options: Mapping[str, Any], kept: tuple[str, ...] | None) -> dict[str, Any]:
    """The options of a component without limits for languages that are not kept."""
    if kept is None or not isinstance(options.get(BY_LANGUAGE), Mapping):
        return dict(options)
    own = {language: limits for language, limits in options[BY_LANGUAGE].items() if language in kept}
    return {**options, BY_LANGUAGE: own}
