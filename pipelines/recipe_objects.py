"""Turns what a program gives as a recipe into the values of a file: components as objects, and a bare list of steps.

    winnow.curate([winnow.filters.GopherQuality(min_words=30), winnow.dedup.Exact()], texts)
    {"filter": winnow.filters.GopherQuality(min_words=30)}   # a stage of a mapping
    {"filter": [winnow.filters.GopherQuality(), my_filter]}  # one that holds two rule sets

An object is written out by its options and read again like a file, so both are checked alike and have one address.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from curation.core import catalog
from curation.core.component import Component
from curation.core.errors import RecipeError
from curation.core.verbs import READ, VERBS

CHAIN = "texts"  # the source of a recipe that is a list of steps, and its name
STEP = "a component such as winnow.filters.GopherQuality(), several of one verb as a list, or a stage as a mapping"


def document_of(recipe: Any) -> dict[str, Any]:
    """The recipe as the values of a file: of a mapping, a list of steps, or one step. Raises RecipeError for a step
    that is none, and for two classes of one key."""
    classes: dict[str, type[Component]] = {}
    if not isinstance(recipe, Mapping):
        steps = recipe if isinstance(recipe, list | tuple) else [recipe]
        chain = [_stage(step, f"step {number}", classes) for number, step in enumerate(steps, 1)]
        return {"version": 1, "name": CHAIN, "sources": {CHAIN: chain}}
    document = dict(recipe)
    sources = document.get("sources")
    if isinstance(sources, Mapping):
        document["sources"] = {name: _chain(chain, f"sources.{name}", classes) for name, chain in sources.items()}
    if "joined" in document:
        document["joined"] = _chain(document["joined"], "joined", classes)
    return document


def check_source(document: Mapping[str, Any]) -> None:
    """Raises RecipeError for steps without texts of which the first reads nothing."""
    (chain,) = document["sources"].values()
    if not chain or READ.name not in chain[0]:
        raise RecipeError(
            "the steps read nothing: give texts, as in winnow.curate(steps, texts), or begin with a source such as "
            "winnow.sources.Jsonl(paths=('texts/*.jsonl',))"
        )


def config_of(config: Mapping[str, Any]) -> dict[str, Any]:
    """A training config as the values of a file: `{"optimizer": winnow.optim.Adamw(learning_rate=3e-4)}`."""
    return {name: _named(value, name, {}) for name, value in config.items()}


def _chain(chain: Any, at: str, classes: dict[str, type[Component]]) -> Any:
    """The stages of a chain; what is no list is left for the reader of recipes to refuse."""
    if not isinstance(chain, list | tuple):
        return chain
    return [_stage(step, f"{at}.{number}", classes) for number, step in enumerate(chain)]


def _stage(step: Any, at: str, classes: dict[str, type[Component]]) -> Any:
    if isinstance(step, Mapping):
        return {name: _named(value, at, classes) if name in VERBS else value for name, value in step.items()}
    several = list(step) if isinstance(step, list | tuple) else [step]
    for one in several:
        if not isinstance(one, Component) or one.verb is None:
            raise RecipeError(f"{at}: {_shown(one)} is no step; give {STEP}")
    verbs = {one.verb for one in several}
    if len(verbs) != 1:
        raise RecipeError(f"{at}: a list is one stage, of components of one verb; got {len(verbs)}; give {STEP}")
    (verb,) = verbs
    return {str(verb): _named(step, at, classes)}


def _named(value: Any, at: str, classes: dict[str, type[Component]]) -> Any:
    """What stands beside a verb: the options of the verb's only component, or components by key."""
    if isinstance(value, Component) and value.verb is not None and value.verb.only:
        return _options(value, at, classes)
    several = list(value) if isinstance(value, list | tuple) else [value]
    if any(isinstance(one, Component) for one in several):
        by_key = {_key(one, at, classes): _options(one, at, classes) for one in several}
        if len(by_key) < len(several):
            raise RecipeError(f"{at}: a stage takes each component once; give the second a stage with another `name`")
        return by_key
    return _plain(value, at, classes)


def _plain(value: Any, at: str, classes: dict[str, type[Component]]) -> Any:
    """The value with the options of components in their place."""
    if isinstance(value, Component):
        return _options(value, at, classes)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, Mapping):
        return {name: _plain(one, at, classes) for name, one in value.items()}
    return [_plain(one, at, classes) for one in value] if isinstance(value, list | tuple) else value


def _options(component: Component, at: str, classes: dict[str, type[Component]]) -> dict[str, Any]:
    """The options that differ from their defaults."""
    _key(component, at, classes)
    given = {}
    for field in dataclasses.fields(component):
        value = getattr(component, field.name)
        made = field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default
        if field.init and value != made:
            given[field.name] = _plain(value, at, classes)
    return given


def _key(component: Any, at: str, classes: dict[str, type[Component]]) -> str:
    if not isinstance(component, Component):
        raise RecipeError(f"{at}: {_shown(component)} is no component; give {STEP}")
    kind = type(component)
    key = catalog.adopt(kind)
    if classes.setdefault(key, kind) is not kind:
        raise RecipeError(f"{at}: {key} names two different components; rename one")
    return key


def _shown(value: Any) -> str:
    if isinstance(value, type) and issubclass(value, Component):
        return f"the class {value.__name__}, without (),"
    if callable(value):
        return f"the function {getattr(value, '__name__', value)}, without @winnow.filter,"
    return f"{value!r:.80}"
