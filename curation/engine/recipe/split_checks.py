"""What can be refused of a `pack` that divides its source by a column, before any work."""

from collections.abc import Sequence

from curation.core.errors import RecipeError
from curation.engine.recipe.columns import Columns, columns_after, lack, type_of
from curation.engine.recipe.node import Node
from curation.engine.recipe.recipe import Recipe, Stage
from curation.tokens.pack import Pack
from curation.tokens.packing.split_by import SplitBy


def check_split(recipe: Recipe, nodes: Sequence[Node], stage: Stage, upstream: Sequence[int]) -> None:
    """Raises RecipeError, with file and line, for a column that no stage makes or that cannot be split by."""
    split_by = stage.sole(Pack).split_by
    if split_by is None:
        return
    for index in upstream:
        try:
            check_columns(split_by, columns_after(nodes, index))
        except RecipeError as error:
            column = split_by.column.partition(".")[0]
            lacking = lack(nodes, upstream, column)
            message = f"no column {column!r}, {lacking}" if lacking else str(error)
            raise recipe.document.error(stage.at("split_by"), message) from error


def check_columns(split_by: SplitBy, columns: Columns) -> None:
    """Raises RecipeError where the columns have no such column, or it is of a type that cannot be split by."""
    kind = type_of(split_by.column, columns, by="split_by")
    if kind is not None:
        split_by.check_type(kind)
