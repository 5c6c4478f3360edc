"""Kits of languages in a recipe, `by_language: shipped` or a folder, written out as limits when the recipe is read.

So the limits themselves stand in the resolved recipe and in the stage's address. A language has the options of its kit;
where that states none, those of the recipe. Languages without a kit, and documents without a language, have the options
of the kit for all others, which go before the rule set's defaults and not before what the recipe states.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any

from curation.core.close_names import nearest
from curation.core.settings import Path, YamlFile, build, typed
from curation.engine.recipe.named_files import at_line
from curation.text.languages.kits import Kit, kits

BY_LANGUAGE = "by_language"


def with_kits(document: YamlFile, path: Path, kind: Any, options: Any) -> Any:
    """The options at `path` of a component of the class `kind`, with a mapping in place of the name of kits. Raises
    RecipeError for kits that are not there, and with the kit's file and line for an option that the class does not
    have."""
    name = options.get(BY_LANGUAGE) if isinstance(options, dict) else None
    if not isinstance(name, str) or BY_LANGUAGE not in {field.name for field in dataclasses.fields(kind)}:
        return options
    key = str(path[-1])
    with at_line(document, (*path, BY_LANGUAGE)):
        chosen = kits(name)
    if not chosen.has(key):
        message = f"no kit has options of {key}; write `LANGUAGE: {{option: value}}` lines"
        raise document.error((*path, BY_LANGUAGE), message)
    stated = {option: value for option, value in options.items() if option != BY_LANGUAGE}
    differing = kind.may_differ()
    general = {**_options(chosen.others, key, kind), **stated}
    base: Any = build(kind, document, path, stated)
    general = {option: value for option, value in general.items() if base.counts(option)}
    changed = {option: getattr(base, option) for option in general if option not in stated and option in differing}
    mapping = {}
    for language, own_kits in chosen.by_language.items():
        own = {**changed, **_options(own_kits, key, kind)}
        mapping[language] = {option: value for option, value in own.items() if base.counts(option)}
    return {**general, BY_LANGUAGE: mapping}


def _options(own_kits: Sequence[tuple[Kit, YamlFile]], key: str, kind: Any) -> dict[str, Any]:
    """The options of a rule set in one language, as their types. Raises RecipeError, with file and line, for an unknown
    one, or one that cannot differ by language."""
    values = {}
    for kit, file in own_kits:
        known = {field.name for field in dataclasses.fields(kind)} - {BY_LANGUAGE}
        if kit.languages:
            known &= {*kind.may_differ()}
        for option, value in kit.options.get(key, {}).items():
            at = ("options", key, option)
            if option not in known:
                raise file.error(at, f"no option {option!r} of a language{nearest(option, known)}")
            with at_line(file, at):
                values[option] = typed(kind, option, value, option)
    return values
