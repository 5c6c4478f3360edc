"""Columns that options name, with dots for fields of structs: which a planned stage has, and of which type."""

from collections.abc import Mapping, Sequence

import pyarrow as pa

from curation.core.errors import RecipeError
from curation.core.settings import nearest
from curation.engine.recipe.node import Node

Columns = Mapping[str, pa.DataType | None]  # None where only the data will tell


def type_of(path: str, columns: Columns, *, by: str) -> pa.DataType | None:
    """The type of the column or field at `path`, which the option `by` names; None where only the data will tell.

    Raises RecipeError where there is none, naming the nearest.
    """
    name, *fields = path.split(".")
    if name not in columns:
        raise RecipeError(f"no column {name!r}, which {by} names{nearest(name, columns)}")
    kind = columns[name]
    for field in fields:
        if kind is None:
            return None
        inside = [inner.name for inner in kind] if pa.types.is_struct(kind) else []
        if field not in inside:
            raise RecipeError(f"{name} has no field {field!r}, which {by} names{nearest(field, inside)}")
        name, kind = f"{name}.{field}", kind.field(field).type
    return kind


def columns_after(nodes: Sequence[Node], index: int) -> Columns:
    """The columns of a planned stage; those that depend on a file still to be fitted have no type yet."""
    node = nodes[index]
    if node.schema is not None:
        return {field.name: field.type for field in node.schema}
    first, *others = (columns_after(nodes, before) for before in node.upstream)
    shared = {name: kind for name, kind in first.items() if all(name in other for other in others)}
    added = [key for key, _ in node.components] if node.verb.columns else []
    return {**shared, **dict.fromkeys(added)}
