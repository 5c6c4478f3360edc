"""Whether the files that a stage's options name are there, or a fit stage before makes them; asked before any work."""

from collections.abc import Sequence
from typing import Any

from curation.core.errors import RecipeError
from curation.core.protocols import UsesAssets
from curation.core.settings import Path, nearest
from curation.engine.recipe.recipe import Recipe, Stage

MAKERS = {"tokenizer": ("tokenizer", "sentencepiece")}  # option -> the fits whose asset it takes, where not its own


def check_assets(recipe: Recipe, nodes: Sequence[Any], stage: Stage) -> None:
    """Raises RecipeError, with file and line, for an option `@name` that no fit stage makes, and for a missing file."""
    fits = {node.name: node for node in nodes if node.verb.learns}
    for key, part in stage.parts:
        for option, value in vars(part).items():
            if isinstance(value, str) and value.startswith("@"):
                at, wanted = stage.at(option), getattr(part, "fitted_by", {}).get(option, option)
                if value[1:] not in fits:
                    hint = nearest(value[1:], fits) or f"; put `- fit: {{{wanted}: {{}}}}` before this stage"
                    raise recipe.document.error(at, f"no fit stage before named {value[1:]!r}{hint}")
                made, makers = fits[value[1:]].parts[0][0], MAKERS.get(wanted, (wanted,))
                if made not in makers:
                    takes = " or ".join(f"`fit: {one}`" for one in makers)
                    raise recipe.document.error(at, f"{value} makes a {made}; {option} takes what {takes} makes")
            elif isinstance(part, UsesAssets) and option == "tokenizer" and not value:
                raise recipe.document.error(
                    stage.path, f"{key} needs a tokenizer: a path, or @ and the name of a fit stage"
                )
        if isinstance(part, UsesAssets) and not any(str(v).startswith("@") for v in vars(part).values()):
            find_assets(recipe, stage.at(*(() if stage.verb.only else (key,))), part)


def find_assets(recipe: Recipe, at: Path, part: UsesAssets) -> None:
    """Raises RecipeError, with file and line, where a file of the part is missing."""
    try:
        part.assets()
    except ValueError as error:
        raise RecipeError(str(recipe.document.error(at, str(error)))) from error
