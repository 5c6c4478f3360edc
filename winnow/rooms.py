"""Reaches the components of a room by the names of their classes, each imported when it is first asked for.

Each room is a module whose names a checker of types reads from its imports. At run time they come from the catalog,
with those of installed packages, so that `import winnow` imports no component.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from curation.core.verbs import Verb


def room(module: str, *words: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a room that has the components of these words of a recipe or a training config."""

    def find(name: str) -> Any:
        from curation.core import catalog
        from curation.core.close_names import nearest

        if not name.startswith("_"):
            key = catalog.key_of_class(name)
            for verb in _verbs(words):
                if key in catalog.known(verb) and (component := catalog.find(verb, key)).__name__ == name:
                    return component
            raise AttributeError(f"{module} has no {name}{nearest(name, names())}")
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    def names() -> list[str]:
        from curation.core import catalog

        return sorted(catalog.find(verb, key).__name__ for verb in _verbs(words) for key in catalog.known(verb))

    return find, names


def _verbs(words: tuple[str, ...]) -> "list[Verb]":
    from curation.core.verbs import VERBS
    from training.config.components import DEFAULTS

    by_name = {**VERBS, **{verb.name: verb for verb in DEFAULTS}}
    return [by_name[word] for word in words]
