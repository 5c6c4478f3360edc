"""Recipes, training configs and rubrics that winnow ships, by their names, beside those of the user, by their paths."""

from pathlib import Path

from curation.core import storage
from curation.core.errors import InputError


def named_file(name: str, kind: str) -> tuple[str, str]:
    """Name for messages, and text, of a file or of the shipped one with that name."""
    shipped = Path(__file__).parent / kind
    if "/" not in name and not name.endswith((".yaml", ".yml")):
        path = shipped / f"{name}.yaml"
        if not path.exists():
            known = ", ".join(sorted(file.stem for file in shipped.glob("*.yaml")))
            what = "rubric" if kind == "rubrics" else "recipe"
            raise InputError(f"no {what} named {name!r} is shipped; give a path to a .yaml file, or one of: {known}")
        return str(path), path.read_text()
    return name, storage.read_text(name)
