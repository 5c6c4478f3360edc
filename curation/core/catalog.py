"""Finds the part that a recipe key names: key = module = class, so a new file is known without being registered."""

import importlib
import importlib.util
import pkgutil
from types import ModuleType

from curation.core.errors import UserError
from curation.core.settings import nearest

ROOMS = {
    "read": ("curation.sources", "read"),
    "extract": ("curation.extract", "extract"),
    "filter": ("curation.filters", "measure"),
    "rewrite": ("curation.rewrite", "rewrite"),
    "dedup": ("curation.dedup", "keys"),
    "fit": ("curation.fit", "fit"),
    "tokenize": ("curation.tokens", "encode"),
    "pack": ("curation.tokens", "pack"),
    "mix": ("curation.tokens", "build"),
}
# Parts made of parts of several rooms: rooms never import each other, so these live above them.
ABOVE = {("extract", "cascade"): "curation.engine.cascade"}
DIRECT = {"tokenize": "encode", "pack": "pack", "mix": "mix"}  # verbs that have one part, given without a key


def find(verb: str, key: str) -> type:
    """The class behind a recipe key, e.g. ("filter", "gopher_quality") -> GopherQuality.

    Raises UserError naming the nearest known key.
    """
    room, method = ROOMS[verb]
    if key.isidentifier() and not key.startswith("_") and importlib.util.find_spec(room) is not None:
        name = ABOVE.get((verb, key), f"{room}.{key}")
        if importlib.util.find_spec(name) is not None:
            part = _part(importlib.import_module(name), method)
            if part is not None:
                return part
    raise UserError(f"no {verb} named {key!r}{nearest(key, known(verb))}")


def known(verb: str) -> list[str]:
    """Keys of all parts of a verb, sorted; imports those of its room."""
    room, method = ROOMS[verb]
    if importlib.util.find_spec(room) is None:
        return []
    package = importlib.import_module(room)
    modules = (importlib.import_module(f"{room}.{found.name}") for found in pkgutil.iter_modules(package.__path__))
    own = [m.__name__.rpartition(".")[2] for m in modules if _part(m, method) is not None]
    return sorted([*own, *(key for of, key in ABOVE if of == verb)])


def _part(module: ModuleType, method: str) -> type | None:
    stem = module.__name__.rpartition(".")[2]
    part = getattr(module, "".join(word.capitalize() for word in stem.split("_")), None)
    return part if isinstance(part, type) and hasattr(part, method) and hasattr(part, "version") else None
