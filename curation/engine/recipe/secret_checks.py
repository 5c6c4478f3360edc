"""Refuses a recipe that takes a secret from a variable or file that nobody allowed it to read."""

from collections.abc import Iterator
from itertools import chain

from curation.core.secret_names import Allowance
from curation.core.settings import Path
from curation.core.storage_options import Secret
from curation.engine.recipe.assets import unfolded
from curation.engine.recipe.recipe import Recipe


def check_secrets(recipe: Recipe, allowed: Allowance) -> None:
    """Raises RecipeError, with file and line, for the first secret that is not allowed."""
    for path, option, secret in _secrets_of(recipe):
        if refusal := allowed.refusal(option, secret):
            raise recipe.document.error(path, refusal)


def _secrets_of(recipe: Recipe) -> Iterator[tuple[Path, str, Secret]]:
    """Where a secret stands in the recipe, its option as `secret_names` has it, and the secret."""
    for scheme, section in vars(recipe.storage).items():
        for option, secret in vars(section).items() if section is not None else ():
            if isinstance(secret, Secret):
                yield ("storage", scheme, option), f"storage.{scheme}.{option}", secret
    for stage in chain(*recipe.sources.values(), recipe.joined):
        for key, component in unfolded(stage.components):
            for option, secret in vars(component).items():
                if isinstance(secret, Secret):
                    yield stage.at(key, option), option, secret
