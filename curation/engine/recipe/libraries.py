"""The libraries that decide a component's output: checked before any work, and part of the address by their version.

After an upgrade a library may read a page in another way. Then the stage is made anew, in another folder, rather than
continued with pages of both versions. The same holds for a library whose list of licences a filter uses. Every
extractor states resiliparse too, which reads the visible prose where its own library finds next to nothing, and
mathml-to-latex, which writes MathML as TeX. The versions are those of the process that plans the run; on a cluster,
every node must have the same.
"""

import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version

from curation.core.component import Component
from curation.core.installation import remedy
from curation.core.settings import Path
from curation.engine.recipe.assets import unfolded
from curation.engine.recipe.recipe import Recipe

NEWER_PYTHON = {"etrafilatura": (3, 12)}  # the Python that a library needs, where not every Python will do


def versions_of(component: Component) -> dict[str, str]:
    """Library -> installed version. Raises PackageNotFoundError where one is missing."""
    return {name: version(name) for name in component.libraries}


def check_libraries(recipe: Recipe) -> None:
    """Raises one RecipeError, with file and line of the first, for all packages that components of the recipe need, or
    components that they hold, and that are not installed here."""
    missing = _missing(recipe)
    for at, names in missing.items():
        for name in names:
            if sys.version_info < (least := NEWER_PYTHON.get(name, (3, 0))):
                raise recipe.document.error(at, f"needs the package {name}, which {_newer_python(least)}")
    if missing:
        (first, names), *others = missing.items()
        also = "".join(f"; {'.'.join(map(str, at))} needs {', '.join(more)}" for at, more in others)
        every = dict.fromkeys(name for names in missing.values() for name in names)
        needs = f"needs {', '.join(names)}{also}, not installed here; run {remedy(every)}"
        raise recipe.document.error(first, needs)


def _missing(recipe: Recipe) -> Mapping[Path, Sequence[str]]:
    """By the place of a component in the recipe: the packages that it needs and that are not installed here."""
    missing: dict[Path, list[str]] = {}
    for stage in (*(stage for chain in recipe.sources.values() for stage in chain), *recipe.joined):
        for key, component in unfolded(stage.components):
            named = (*component.libraries, *component.packages())
            if absent := [name for name in named if not _installed(name)]:
                missing[stage.at(*(() if stage.verb.only else key.split(".")))] = absent
    return missing


def _installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True


def _newer_python(least: tuple[int, int]) -> str:
    needed, own = (".".join(map(str, numbers)) for numbers in (least, sys.version_info[:3]))
    return f"needs Python {needed} or newer; this is {own}: take `trafilatura`, or set winnow up again there"
