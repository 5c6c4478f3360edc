"""What a fit is refused for by its plan, and which stages it reads."""

from collections.abc import Mapping, Sequence

import pyarrow as pa

from curation.core.close_names import nearest
from curation.core.errors import InputError, RecipeError, UserError
from curation.core.fits import LABEL, Fit
from curation.core.settings import YamlFile
from curation.engine.recipe.columns import Columns, columns_after, lack, type_of
from curation.engine.recipe.node import Node
from curation.engine.recipe.recipe import Recipe, Stage
from curation.fit.sample.shares import REST, SOURCE


def check_plan(document: YamlFile, nodes: Sequence[Node], stage: Stage, upstream: Sequence[int]) -> None:
    """Raises RecipeError, with file and line, for columns that no stage makes, a sample by such a column, and weights
    of no source."""
    fit = stage.sole(Fit)
    key = stage.components[0][0]
    at = stage.at(key)
    if fit.examples():
        if set(fit.reads) != {"text"} and fit.inputs():
            raise document.error(at, f"reads {', '.join(fit.reads)}, and files of examples have text only")
        if fit.sample_by != LABEL:
            raise document.error((*at, "sample_by"), f"a sample of examples is by {LABEL}, not by {fit.sample_by!r}")
        return
    for index in upstream:
        for name in fit.reads:
            try:
                type_of(name, columns_after(nodes, index), by=key)
            except RecipeError as error:
                raise document.error(at, _at_source(nodes, index, name, error)) from error
    if not fit.sample_by:
        return
    if fit.sample_by == SOURCE:
        known = [nodes[index].chain for index in _readers(nodes, upstream)]
        for name in fit.sample_weights:
            if name not in (*known, REST):
                raise document.error((*at, "sample_weights", name), f"no source {name!r}{nearest(name, known)}")
        return
    for index in upstream:
        try:
            check_column(fit.sample_by, columns_after(nodes, index))
        except UserError as error:
            column = fit.sample_by.partition(".")[0]
            raise document.error((*at, "sample_by"), _at_source(nodes, index, column, error)) from error


def _at_source(nodes: Sequence[Node], index: int, column: str, error: UserError) -> str:
    """The error about a column, with the stage after which it is, or the sources that lack what others have."""
    lacking = lack(nodes, (index,), column)
    return f"no column {column!r}, {lacking}" if lacking else f"after {nodes[index].name}: {error}"


def _readers(nodes: Sequence[Node], upstream: Sequence[int]) -> list[int]:
    before = [one for index in upstream for one in _readers(nodes, nodes[index].upstream)]
    return [*before, *(index for index in upstream if nodes[index].verb.begins)]


def nodes_read(
    recipe: Recipe, nodes: Sequence[Node], stage: Stage, chain: str, upstream: tuple[int, ...]
) -> Mapping[str, tuple[int, ...]] | None:
    """Label -> the nodes whose rows are its examples; None where the stage reads what stands before it.

    Raises RecipeError, with file and line, for a chain that is not there yet, and for one chain under two labels.
    """
    every = stage.sole(Fit).examples() if stage.verb.learns else None
    if every is None:
        return None
    key = stage.components[0][0]
    read: dict[str, tuple[int, ...]] = {}
    for label, examples in every.items():
        if examples.files:
            continue
        read[label] = upstream
        if examples.chain:
            ends = [node.index for node in nodes if node.chain == examples.chain and node.verb.documents]
            if examples.chain not in recipe.sources or examples.chain == chain:
                others = [name for name in recipe.sources if name != chain]
                own = f" besides the fit's own, {chain!r}" if examples.chain == chain else ""
                message = f"no source {examples.chain!r}{own}{nearest(examples.chain, others)}"
                raise recipe.document.error(stage.at(key), message)
            if not ends:
                message = (
                    f"the source {examples.chain!r} stands after this fit, which reads it; move it before {chain!r}"
                )
                raise recipe.document.error(stage.at(key), message)
            read[label] = (ends[-1],)
    indices = [index for several in read.values() for index in several]
    if len(set(indices)) < len(indices):
        raise recipe.document.error(stage.at(key), "two labels name the same documents, so neither would say anything")
    return read


def check_column(by: str, columns: Columns) -> None:
    """Raises an error of the user's where there is no such column, or its values are no names of groups."""
    kind = type_of(by, columns, by="sample_by")
    if kind is not None and not _is_word(kind):
        hint = f"; give a field of it, such as {by}.{kind[0].name}" if pa.types.is_struct(kind) else ""
        raise InputError(f"sample_by cannot take the values of {by}, which holds {kind}{hint}")


def _is_word(kind: pa.DataType) -> bool:
    """Whether values of the type tell groups: text, whole numbers, true and false."""
    types = pa.types
    text = types.is_string(kind) or types.is_large_string(kind) or types.is_dictionary(kind)
    return bool(text or types.is_integer(kind) or types.is_boolean(kind))
