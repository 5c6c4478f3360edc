"""Whether the files that a stage's options name are there, or a fit stage before makes them; asked before any work."""

from collections.abc import Sequence

from curation.core.component import UsesFitted
from curation.core.errors import RecipeError
from curation.core.protocols import UsesAssets
from curation.core.settings import Path, nearest
from curation.engine.recipe.assets import fits_named
from curation.engine.recipe.node import Node
from curation.engine.recipe.recipe import Recipe, Stage

MAKERS = {"tokenizer": ("tokenizer", "sentencepiece")}  # option -> the fits whose asset it takes, where not its own


def check_assets(recipe: Recipe, nodes: Sequence[Node], stage: Stage) -> None:
    """Raises RecipeError, with file and line, for an option `@name` that no fit stage makes, and for a missing file."""
    fits = {node.name: node for node in nodes if node.verb.learns}
    for key, component in stage.components:
        named = fits_named(component)
        for option, name in named.items():
            at = stage.at(option)
            fit = component.fitted_by.get(option, option) if isinstance(component, UsesFitted) else option
            if name not in fits:
                hint = nearest(name, fits) or f"; put `- fit: {{{fit}: {{}}}}` before this stage"
                raise recipe.document.error(at, f"no fit stage before named {name!r}{hint}")
            maker, makers = fits[name].components[0][0], MAKERS.get(fit, (fit,))
            if maker not in makers:
                takes = " or ".join(f"`fit: {one}`" for one in makers)
                raise recipe.document.error(at, f"@{name} makes a {maker}; {option} takes what {takes} makes")
        if isinstance(component, UsesAssets) and not vars(component).get("tokenizer", True):
            message = f"{key} needs a tokenizer: a path, or @ and the name of a fit stage"
            raise recipe.document.error(stage.path, message)
        if isinstance(component, UsesAssets) and not named:
            find_assets(recipe, stage.at(*(() if stage.verb.only else (key,))), component)


def find_assets(recipe: Recipe, at: Path, component: UsesAssets) -> None:
    """Raises RecipeError, with file and line, where a file of the component is missing."""
    try:
        component.assets()
    except ValueError as error:
        raise RecipeError(str(recipe.document.error(at, str(error)))) from error
