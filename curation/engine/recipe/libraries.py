"""The libraries that decide a component's output: checked before any work, and part of the address by their version.

After an upgrade a library may read a page in another way. Then the stage is made anew, in another folder, rather than
continued with pages of both versions. The same holds for a library whose list of licences a filter uses. Every
extractor states resiliparse too, which reads the visible prose where its own library finds next to nothing. The
versions are those of the process that plans the run; on a cluster, every node must have the same.
"""

import sys
from importlib.metadata import PackageNotFoundError, version

from curation.core.component import Component, Components, UsesLibraries
from curation.core.settings import Path
from curation.engine.recipe.assets import unfolded
from curation.engine.recipe.recipe import Recipe

# Libraries that winnow is installed without, the extra that has each, and the Python that they need.
EXTRAS = {
    "etrafilatura": ("etrafilatura", (3, 12)),
    **dict.fromkeys(("presidio-analyzer", "phonenumbers", "spacy", "tldextract"), ("pii", (3, 11))),
    "torch": ("transformers", (3, 11)),
    "transformers": ("transformers", (3, 11)),
}


def versions_of(component: Component) -> dict[str, str]:
    """Library -> installed version. Raises PackageNotFoundError where one is missing."""
    return {name: version(name) for name in component.libraries} if isinstance(component, UsesLibraries) else {}


def check_libraries(recipe: Recipe, at: Path, components: Components) -> None:
    """Raises RecipeError, with file and line, where a library of a component, or of one that it holds, is missing."""
    for key, component in unfolded(components):
        try:
            versions_of(component)
        except PackageNotFoundError as error:
            message = f"needs the package {error.name}, which is not installed here{_remedy(str(error.name))}"
            raise recipe.document.error((*at, *key.split(".")), message) from None


def _remedy(library: str) -> str:
    """What to do about a missing library, for this interpreter."""
    if library not in EXTRAS:
        return "; run `make curate` once, which installs all that winnow needs"
    extra, least = EXTRAS[library]
    if sys.version_info < least:
        needed, own = (".".join(map(str, numbers)) for numbers in (least, sys.version_info[:3]))
        return f" and needs Python {needed} or newer; this is {own}: take `trafilatura`, or set winnow up again there"
    return f"; run `pip install -c constraints.txt -e '.[{extra}]'` in winnow's folder"
