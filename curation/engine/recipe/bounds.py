"""Limits that name a quantile of a fit (`"@quantiles p90 by language.label"`), kept until the fit is sealed.

See `curation/fit/quantiles.py` for what a recipe may say.
"""

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Any

from curation.core import catalog
from curation.core.by_language import ByLanguage
from curation.core.component import Component, Components
from curation.core.errors import RecipeError
from curation.core.filter import Filter, impossible, limit_of
from curation.core.settings import Path, YamlFile, typed
from curation.core.verbs import FILTER
from curation.engine.recipe.named_files import at_line
from curation.models.quantiles import load

_BOUND = re.compile(r"@(?P<fit>[^ ]+) p(?P<percent>\d{1,3}(\.\d)?)( by (?P<by>[^ ]+))?")
LANGUAGE_LABEL = "language.label"


@dataclass(frozen=True)
class Bound:
    """An option of the rule set `key` that is to be a quantile."""

    key: str
    option: str
    text: str  # as in the recipe
    fit: str  # name of the stage
    percent: float
    by: str = ""

    @classmethod
    def parse(cls, key: str, option: str, text: str) -> "Bound":
        """Raises RecipeError for text of another form."""
        match = _BOUND.fullmatch(text)
        if match is None or float(match["percent"]) > 100:
            raise RecipeError(
                f"{text!r} names no quantile; write '@NAME p90', with p0 to p100 by tenths, or "
                f"'@NAME p90 by {LANGUAGE_LABEL}'"
            )
        return cls(key, option, text, match["fit"], float(match["percent"]), match["by"] or "")


def is_bound(value: object) -> bool:
    """Whether an option's value is meant as a quantile: `@name` alone stands for an asset."""
    return isinstance(value, str) and value.startswith("@") and " " in value


def without_bounds(document: YamlFile, path: Path, value: Any) -> tuple[Any, tuple[Bound, ...]]:
    """The rule sets of a filter stage at `path`, by key with their options, without those options that name a quantile;
    and these. Raises RecipeError, with file and line, for text of another form."""
    by_key = value if isinstance(value, dict) else {}
    bounds = []
    others = dict(by_key)
    for key, options in by_key.items():
        named = {name: text for name, text in options.items() if is_bound(text)} if isinstance(options, dict) else {}
        for option, text in named.items():
            with at_line(document, (*path, key, option)):
                bounds.append(Bound.parse(key, option, text))
        if named:
            known = {field.name for field in dataclasses.fields(catalog.find(FILTER, key))}
            others[key] = {name: one for name, one in options.items() if name not in named or name not in known}
    return (others if bounds else value), tuple(bounds)


def bounded(components: Components, bounds: Sequence[Bound], fitted: Mapping[str, str]) -> Components:
    """The components with numbers for those bounds whose fit is sealed; `fitted` has its asset by name. Raises
    RecipeError for a number that the rule set cannot have."""
    return tuple(
        (key, _bounded(component, [bound for bound in bounds if bound.key == key and bound.fit in fitted], fitted))
        for key, component in components
    )


def _bounded(component: Component, bounds: Sequence[Bound], fitted: Mapping[str, str]) -> Component:
    changed: dict[str, Any] = {}
    by_language: dict[str, dict[str, float]] = {}
    for bound in bounds:
        assert isinstance(component, Filter), "only rule sets have limits"
        limit = limit_of(component, bound.option)
        assert limit is not None, "the plan has checked it"
        signal = f"{bound.key}.{limit.signal}"
        least = bound.option == limit.least
        table = load(fitted[bound.fit])
        changed[bound.option] = _fitting(component, bound.option, table.value(signal, bound.percent), least=least)
        for language, value in table.by_group(signal, bound.percent).items() if bound.by else ():
            by_language.setdefault(language, {})[bound.option] = _fitting(component, bound.option, value, least=least)
    if not bounds:
        return component
    if by_language and isinstance(component, ByLanguage):
        own = component.by_language
        changed["by_language"] = {
            language: {**by_language.get(language, {}), **own.get(language, {})}
            for language in sorted({*by_language, *own})
        }
    texts = ", ".join(f"{bound.option} {bound.text!r} is {changed[bound.option]}" for bound in bounds)
    try:
        result: Component = dataclasses.replace(component, **changed)
    except ValueError as error:
        raise RecipeError(f"{bounds[0].key}: {texts}: {error}") from error
    assert isinstance(result, Filter), "only rule sets have limits"
    mistake = impossible(result)
    if mistake is not None:
        raise RecipeError(f"{bounds[0].key}: {texts}: {mistake[1]}")
    return result


def _fitting(component: Component, option: str, value: float, *, least: bool) -> float:
    """The value in the option's type: a whole number that keeps the same documents of a signal of whole numbers."""
    try:
        number: float = typed(type(component), option, value, option)
    except RecipeError:
        number = typed(type(component), option, ceil(value) if least else floor(value), option)
    return number
