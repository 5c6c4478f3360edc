"""Reads recipes from what a program or a command line gives: a file, a shipped name, values, objects, steps."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from pipelines.shipped import named_file

if TYPE_CHECKING:  # slow to import
    from curation.core.component import Component
    from curation.core.settings import YamlFile
    from curation.engine.recipe.recipe import Recipe

RecipeLike: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any] | Sequence[Any] | Component | Recipe"


def read_recipe(
    recipe: RecipeLike, inputs: Sequence[str] = (), *, allow_env: Sequence[str] = (), allow_file: Sequence[str] = ()
) -> "Recipe":
    """Reads a recipe from a file, the name of a shipped one, a mapping with the keys of a file, or a list of steps.
    Components may stand in mappings and steps as objects, see `pipelines.recipe_objects`.

    `inputs` replace the paths of sources: PATH for the only source, or SOURCE=PATH. `allow_env` and `allow_file` are
    variables and files that it may take secrets from, beside those of `curation.core.secret_names`. Raises RecipeError
    with the place of a mistake, InputError if there is no such file.
    """
    from curation.engine.recipe.recipe import Recipe
    from pipelines.recipe_objects import check_source

    if isinstance(recipe, Recipe):
        return recipe
    document = document_of(recipe)
    if not isinstance(recipe, str | os.PathLike | Mapping):
        check_source(document.data)
    return read_document(document, inputs, allow_env=allow_env, allow_file=allow_file)


def document_of(recipe: RecipeLike) -> "YamlFile":
    """What a recipe says, as the values of a file. Raises as `read_recipe`."""
    from curation.core.settings import YamlFile, load_yaml
    from curation.engine.recipe.recipe import Recipe
    from pipelines import recipe_objects

    if isinstance(recipe, Recipe):
        return recipe.document
    if isinstance(recipe, str | os.PathLike):
        name, text = named_file(os.fspath(recipe), "curate")
        return load_yaml(text, name)
    return YamlFile("recipe", recipe_objects.document_of(recipe), {})


def read_document(
    document: "YamlFile",
    inputs: Sequence[str] = (),
    *,
    allow_env: Sequence[str] = (),
    allow_file: Sequence[str] = (),
) -> "Recipe":
    """The recipe that the values of a file state. Raises as `read_recipe`."""
    from curation.core.secret_names import Allowance
    from curation.engine.recipe.recipe import from_document
    from curation.engine.recipe.secret_checks import check_secrets

    read = from_document(document, inputs)
    check_secrets(read, Allowance(variables=allow_env, files=allow_file))
    return read
