"""Checks the options of a component that a program has made, as they are checked where a recipe names them.

A dataclass takes any value: `Language(languages="en")` would otherwise keep no English text, and say nothing.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any
from weakref import WeakValueDictionary

from curation.core.component import Component
from curation.core.errors import RecipeError
from curation.core.filter import Filter, impossible

_CHECKED: WeakValueDictionary[int, Component] = WeakValueDictionary()  # by id: many have no hash


def check_options(component: Component) -> None:
    """Raises RecipeError for a value of the wrong type, an impossible limit, or what a component refuses when planned,
    InputError for a file that is missing. A component is checked once."""
    if _CHECKED.get(id(component)) is not component:
        _check(component)
        _CHECKED[id(component)] = component


def _check(component: Component) -> None:
    from curation.core.settings import typed

    name = type(component).__name__
    for field in dataclasses.fields(component):
        value = getattr(component, field.name)
        if field.init and value is not field.default and _is_plain(value):
            typed(type(component), field.name, value, f"{name}({field.name})")
    mistake = impossible(component) if isinstance(component, Filter) else None
    if mistake:
        path, reason = mistake
        raise RecipeError(f"{name}({'.'.join(path)}): {reason}")
    component.assets()


def _is_plain(value: Any) -> bool:
    """Whether a file could hold the value: no object of the program, which has checks of its own."""
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _is_plain(one) for key, one in value.items())
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | int | float)
