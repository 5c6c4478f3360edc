"""Describes what `winnow describe` takes: components, and the keys of recipes, stages and training configs."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from curation.core import catalog
from curation.core.close_names import close_names
from curation.core.errors import UserError
from pipelines.component_docs import Description, Option, component_keys, options_of
from pipelines.component_docs import describe as describe_component
from training.config.components import DEFAULTS
from training.config.run import TrainConfig

RECIPE = "recipe"
STAGE = "stage of a recipe"
DEDUP = "dedup stage of a recipe"
TRAINING = "training config"
SHOWN = 5  # components that a message names


@dataclass(frozen=True)
class Setting:
    """A key of a file: `place` says of what. `within` are the keys that it may hold, with their whole names;
    `components` are the keys of the components that it may name."""

    place: str
    option: Option
    within: tuple[Option, ...] = ()
    components: tuple[str, ...] = ()


def describe(key: str) -> list[Description | Setting]:
    """The components with this key, then the settings. Raises UserError with the components whose option it is, or with
    the nearest known key, if one is near."""
    known = component_keys()
    found: list[Description | Setting] = list(describe_component(key)) if key in known else []
    settings = list(all_settings())
    found += [setting for setting in settings if setting.option.name == key]
    if not found:
        if holders := _holders(key):
            shown = ", ".join(holders[:SHOWN]) + (" …" if len(holders) > SHOWN else "")
            raise UserError(f"{key!r} is an option of {shown}; winnow describe {holders[0]} says what it means")
        close = close_names(key, {*known, *(setting.option.name for setting in settings)})
        hint = f"did you mean {close[0]!r}?" if close else "`winnow list` shows the components"
        raise UserError(f"no component or key is named {key!r}; {hint}")
    return found


def _holders(option: str) -> list[str]:
    """The keys of the components that have this option."""
    described = (one for key in dict.fromkeys(component_keys()) for one in describe_component(key))
    return list(dict.fromkeys(one.component.key for one in described if option in {held.name for held in one.options}))


def all_settings() -> Iterator[Setting]:
    """Every key of a recipe, of a stage beside its verb, and of a training config, those within others too."""
    from curation.engine.recipe.options import DedupOptions, StageOptions  # slow to import
    from curation.engine.recipe.recipe import TopLevel

    yield from _settings(RECIPE, TopLevel)
    yield from _settings(STAGE, StageOptions)
    common = {option.name for option in options_of(StageOptions)}
    yield from (one for one in _settings(DEDUP, DedupOptions) if one.option.name not in common)
    yield from _settings(TRAINING, TrainConfig)


def _settings(place: str, cls: Any) -> Iterator[Setting]:
    options = list(options_of(cls))
    held = {verb.name: tuple(catalog.known(verb)) for verb in DEFAULTS} if place == TRAINING else {}
    for option in options:
        within = tuple(one for one in options if one.name.startswith(f"{option.name}."))
        yield Setting(place, option, within, held.get(option.name, ()))
