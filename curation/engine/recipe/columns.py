"""Columns that options name, with dots for fields of structs: which a planned stage has, and of which type; and the
refusal of a `pack` that divides its source by one that is not there."""

from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa

from curation.core.close_names import nearest
from curation.core.errors import RecipeError
from curation.engine.recipe.node import Node
from curation.engine.recipe.recipe import JOINED, Recipe, Stage
from curation.tokens.pack import Pack
from curation.tokens.packing.split_by import SplitBy

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
        name = f"{name}.{field}"
        kind = kind.field(field).type
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


def lack(nodes: Sequence[Node], upstream: Sequence[int], column: str) -> str:
    """Which sources before the stages `upstream` lack a column that others have, in words that follow its name; "" if
    all lack it or none does."""
    lacking = sources_without(nodes, upstream, column)
    having = [source for source in sources_before(nodes, upstream) if source not in lacking]
    if not having or not lacking:
        return ""
    verb = "the source {} lacks" if len(lacking) == 1 else "the sources {} lack"
    return f"which {verb.format(', '.join(lacking))}, unlike {', '.join(having)}"


def sources_without(nodes: Sequence[Node], upstream: Sequence[int], column: str) -> list[str]:
    """The sources before the stages `upstream` whose documents lack a column."""
    return [nodes[index].chain for index in _ends(nodes, upstream) if column not in columns_after(nodes, index)]


def sources_before(nodes: Sequence[Node], upstream: Sequence[int]) -> list[str]:
    """The sources whose documents the stages `upstream` have."""
    return [nodes[index].chain for index in _ends(nodes, upstream)]


def _ends(nodes: Sequence[Node], upstream: Sequence[int]) -> Iterator[int]:
    """The last stage of each source whose documents the stages `upstream` have."""
    for index in upstream:
        if nodes[index].chain == JOINED:
            yield from _ends(nodes, nodes[index].upstream)
        else:
            yield index


def check_split(recipe: Recipe, nodes: Sequence[Node], stage: Stage, upstream: Sequence[int]) -> None:
    """Raises RecipeError, with file and line, for a column that no stage makes or that cannot be split by."""
    split_by = stage.sole(Pack).split_by
    if split_by is None:
        return
    for index in upstream:
        try:
            check_split_by(split_by, columns_after(nodes, index))
        except RecipeError as error:
            column = split_by.column.partition(".")[0]
            lacking = lack(nodes, upstream, column)
            message = f"no column {column!r}, {lacking}" if lacking else str(error)
            raise recipe.document.error(stage.at("split_by"), message) from error


def check_split_by(split_by: SplitBy, columns: Columns) -> None:
    """Raises RecipeError where the columns have no such column, or it is of a type that cannot be split by."""
    kind = type_of(split_by.column, columns, by="split_by")
    if kind is not None:
        split_by.check_type(kind)
