"""A filter stage as it stands in a recipe: all options that the run's recipe has, without those that are defaults.

    sources: {web: [...]}
      - filter:
          gopher_quality: {min_words: 40, by_language: shipped}
        name: quality

A run stores its recipe with all options written out, kits of languages too. Where the shipped kits give the same
limits, their name stands again in place of the limits. Whatever is left out, the text reads as the same components.
"""

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

import yaml

from curation.account.tune.kept_languages import kept_languages, without_others
from curation.core import catalog
from curation.core.component import Component
from curation.core.errors import RecipeError
from curation.core.settings import YamlFile
from curation.core.verbs import FILTER, REWRITE, VERBS, Verb
from curation.engine.recipe.bounds import is_bound
from curation.engine.recipe.kits import BY_LANGUAGE
from curation.engine.recipe.options import StageOptions
from curation.engine.recipe.recipe import JOINED, VERSION, component_of
from curation.text.languages.kits import SHIPPED

NO_FILE = YamlFile("", None, {})
WIDTH = 72  # columns after which a line is folded


def item_text(item: Mapping[str, Any], kept: tuple[str, ...] | None = None) -> str:
    """YAML of a list item that holds a filter stage with all its options, as run.json has them; `kept` as
    `kept_languages` gives it."""
    item = json.loads(json.dumps(item))  # tuples become lists
    beside = {name: value for name, value in item.items() if name != FILTER.name}
    sets = {key: shortened(FILTER, key, options, kept) for key, options in item[FILTER.name].items()}
    brief = {FILTER.name: sets, **_differing(StageOptions, beside)}
    text = yaml.safe_dump(brief, sort_keys=False, default_flow_style=None, width=WIDTH, allow_unicode=True)
    return "- " + text.strip().replace("\n", "\n  ")


def readable(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """A stored recipe that can be read again: kits by their name, and otherwise no limits for languages that are not
    kept, which a reader would refuse."""
    sources = {name: [_readable(recipe, item) for item in chain] for name, chain in recipe["sources"].items()}
    return {
        "version": VERSION,
        **recipe,
        "sources": sources,
        JOINED: [_readable(recipe, one) for one in recipe[JOINED]],
    }


def _readable(recipe: Mapping[str, Any], item: Mapping[str, Any]) -> dict[str, Any]:
    kept = kept_languages(recipe, item)
    verb = next(VERBS[name] for name in item if name in VERBS)
    if verb not in (FILTER, REWRITE):
        return dict(item)
    components = item[verb.name].items()
    by_key = {key: shortened(verb, key, own, kept) if own.get(BY_LANGUAGE) else own for key, own in components}
    return {**item, verb.name: by_key}


def shortened(verb: Verb, key: str, options: Mapping[str, Any], kept: tuple[str, ...] | None = None) -> dict[str, Any]:
    """The options of a component that are no defaults, with kits by their name; the same component is read from both.
    Where no kits give the same limits, those of the languages that are `kept` are written out."""
    kind = catalog.find(verb, key)
    options = json.loads(json.dumps(options))
    whole = _read(verb, key, options)
    stated = _differing(kind, options)
    for brief in _with_kits(verb, key, whole, stated):
        if _bounds(brief) == _bounds(options) and _read(verb, key, brief) == whole:
            return brief
    return without_others(stated, kept)


def _with_kits(verb: Verb, key: str, whole: Component | None, stated: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The options with the name of the shipped kits: first those that differ from the kits."""
    if not stated.get(BY_LANGUAGE):
        return []
    kits = _read(verb, key, {BY_LANGUAGE: SHIPPED})
    own = {name: value for name, value in stated.items() if name != BY_LANGUAGE}
    differing = {
        name: value
        for name, value in own.items()
        if is_bound(value) or getattr(whole, name) != getattr(kits, name, None)
    }
    return [{**differing, BY_LANGUAGE: SHIPPED}, {**own, BY_LANGUAGE: SHIPPED}]


def _read(verb: Verb, key: str, options: Mapping[str, Any]) -> Component | None:
    """The component that is read from the options; quantiles are set aside. None where they are refused."""
    plain = {name: value for name, value in options.items() if not is_bound(value)}
    try:
        return component_of(NO_FILE, (key,), verb, plain)
    except RecipeError:
        return None


def _bounds(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if is_bound(value)}


def _differing(kind: type, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are not the defaults of a dataclass, limits by language last."""
    defaults = {field.name: _default(field) for field in dataclasses.fields(kind)}
    names = sorted((name for name in options), key=lambda name: name == BY_LANGUAGE)
    return {name: options[name] for name in names if name not in defaults or defaults[name] != options[name]}


def _default(field: "dataclasses.Field[Any]") -> Any:
    """As plain JSON values; an option without a default has a value that no option has."""
    if field.default_factory is not dataclasses.MISSING:
        value: Any = field.default_factory()
    elif field.default is not dataclasses.MISSING:
        value = field.default
    else:
        return dataclasses.MISSING
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = dataclasses.asdict(value)
    return json.loads(json.dumps(value))
