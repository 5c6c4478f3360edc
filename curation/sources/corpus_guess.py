"""Guesses of which ready corpus a file is: one whose text the file has, and more of its fields than of any other's, or
one whose name is in the file's path."""

import re
from collections.abc import Mapping

from curation.core import storage
from curation.sources.field_values import alternatives
from curation.sources.layouts import LAYOUTS, CorpusLayout

NAMED = 10.0  # score of a layout whose name is in the path
FULL = 4 << 20  # bytes from which a text file may be one of a corpus that only its name's form suggests


def fitting_corpora(path: str, form: str, fields: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """The corpus whose layout fits best, and the others that fit as well."""
    scores = {name: _score(name, layout, path, form, fields) for name, layout in LAYOUTS.items()}
    best = max(scores.values())
    if best < (NAMED if form == "text" and storage.size(path) < FULL else 3.0):
        return [], []
    first, *others = [name for name, score in scores.items() if score == best]
    return [first], others


def _score(name: str, layout: CorpusLayout, path: str, form: str, fields: Mapping[str, str]) -> float:
    """Scores how well a layout fits: its fields that are there less those that are not, and much for its name in the
    path."""
    if form not in layout.forms:
        return -1.0
    named = NAMED + len(name) / 100 if re.sub(r"[_\W]", "", name) in re.sub(r"[_\W]", "", path.lower()) else 0.0
    patterns = sum(bool(p and re.search(p, path)) for p in (layout.language_in, layout.subset_in))
    if not fields:
        return named + 3.0 * patterns
    missing = missing_fields(layout, fields)
    if "text" in missing:
        return -1.0
    nested = sum("." in field for name, field in layout.fields.items() if name not in missing)  # few have the same
    return named + patterns + len(layout.fields) - 2.0 * len(missing) + nested


def missing_fields(layout: CorpusLayout, fields: Mapping[str, str]) -> dict[str, str]:
    """Document column -> the layout's field, where the file has none of its names."""
    return {
        name: field
        for name, field in layout.fields.items()
        if not any(_has(fields, one) for one in alternatives(field))
    }


def _has(fields: Mapping[str, str], field: str) -> bool:
    return field in fields or any(field.startswith(f"{name}.") and kind == "string" for name, kind in fields.items())
