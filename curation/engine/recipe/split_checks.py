"""Whether a source can be divided into sub-sources: `split_by` of a pack stage names a column that is there, of a type
that it can take. Asked of the plan as far as that knows the columns, and of the shards before any is packed."""

from collections.abc import Sequence

from curation.core.errors import RecipeError
from curation.core.settings import YamlFile
from curation.engine.recipe.columns import Columns, columns_after, type_of
from curation.engine.recipe.node import Node
from curation.engine.recipe.recipe import Stage
from curation.tokens.pack import Pack
from curation.tokens.packing.split_by import SplitBy


def check_plan(document: YamlFile, nodes: Sequence[Node], stage: Stage, upstream: Sequence[int]) -> None:
    """Raises RecipeError, with file and line, for a column that no stage makes or that cannot be split by."""
    split_by = stage.sole(Pack).split_by
    if split_by is None:
        return
    for index in upstream:
        try:
            check_columns(split_by, columns_after(nodes, index))
        except RecipeError as error:
            raise document.error(stage.at("split_by"), str(error)) from error


def check_columns(split_by: SplitBy, columns: Columns) -> None:
    """Raises RecipeError where the columns have no such column, or it is of a type that cannot be split by."""
    kind = type_of(split_by.column, columns, by="split_by")
    if kind is not None:
        split_by.check_type(kind)
