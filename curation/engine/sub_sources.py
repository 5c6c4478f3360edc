"""Whether a source can be divided into sub-sources: `split_by` of a pack stage names a column that is there, of a type
that it can take. Asked of the plan as far as that knows the columns, and of the shards before any is packed."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from curation.core.errors import RecipeError
from curation.core.settings import Document, nearest
from curation.engine.recipe import Stage
from curation.tokens.split_by import SplitBy

ADD_COLUMN = ("filter", "rewrite", "dedup")  # verbs whose parts make a column called by their key
Columns = Mapping[str, pa.DataType | None]  # None where only the data will tell


def check_plan(document: Document, nodes: Sequence[Any], stage: Stage, upstream: Sequence[int]) -> None:
    """Raises RecipeError, with file and line, for a column that no stage makes or that cannot be split by."""
    split_by = stage.parts[0][1].split_by
    if split_by is None:
        return
    for index in upstream:
        try:
            check_columns(split_by, columns_after(nodes, index))
        except RecipeError as error:
            raise document.error((*stage.path, stage.verb, "split_by"), str(error)) from error


def check_columns(split_by: SplitBy, columns: Columns) -> None:
    """Raises RecipeError where the columns have no such column, or it is of a type that cannot be split by."""
    name, *fields = split_by.column.split(".")
    if name not in columns:
        raise RecipeError(f"reads column {name!r}, which no stage before makes{nearest(name, columns)}")
    kind = columns[name]
    for field in fields:
        if kind is None:
            return
        inside = [one.name for one in kind] if pa.types.is_struct(kind) else []
        if field not in inside:
            raise RecipeError(f"{name} has no field {field!r}{nearest(field, inside)}")
        name, kind = f"{name}.{field}", kind.field(field).type
    if kind is not None:
        split_by.check_type(kind)


def columns_after(nodes: Sequence[Any], index: int) -> Columns:
    """What is known of a planned stage's columns: where a fitted file decides, those of its keys have no type yet."""
    node = nodes[index]
    if node.schema is not None:
        return {field.name: field.type for field in node.schema}
    first, *others = (columns_after(nodes, one) for one in node.upstream)
    found = {name: kind for name, kind in first.items() if all(name in other for other in others)}
    made = [key for key, _ in node.parts] if node.verb in ADD_COLUMN else []
    return {**found, **dict.fromkeys(made)}
