"""Divides a source into sub-sources by a column, so that a mix can weigh each: by quality, copies or language.

    - pack: {split_by: {column: minhash.copies, edges: [2, 5]}}        labels below_2, 2_to_5, from_5, none
    - pack: {split_by: {column: language.label, values: [en, de]}}     labels en, de, other, none
    - pack: {split_by: {column: language.label}}                       a label per value, and none

`none` is for documents without a value (null or NaN). A label becomes part of file names and of the names that a mix
gives weights to, so it may hold only letters, digits, `_`, `-` and `.`.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.errors import RecipeError

NONE = "none"
OTHER = "other"
MAX_LABELS = 256  # sub-sources of one pack stage
_LABEL = re.compile(r"[A-Za-z0-9_.-]{1,64}")


@dataclass(frozen=True, kw_only=True)
class SplitBy:
    """The column and how its values become labels."""

    column: Annotated[str, "a field of a struct as struct.field"]
    edges: Annotated[
        tuple[float, ...], "for numbers: where one range ends and the next, which includes the edge, begins"
    ] = ()
    values: Annotated[
        tuple[str, ...], "for text, whole numbers, true and false: the values with a label of their own"
    ] = ()

    def __post_init__(self) -> None:
        if not all(self.column.split(".")):
            raise RecipeError(f"split_by.column is {self.column!r}; give a column, or a field of one as struct.field")
        if self.edges and self.values:
            raise RecipeError("split_by takes edges (for numbers) or values (for text), not both")
        object.__setattr__(self, "edges", tuple(map(float, self.edges)))
        if any(not isfinite(edge) for edge in self.edges) or sorted(set(self.edges)) != list(self.edges):
            raise RecipeError(f"split_by.edges are {list(self.edges)}; give finite numbers, each above the one before")
        if {NONE, OTHER} & set(self.values):
            raise RecipeError(f"split_by.values may not name {NONE} (documents without a value) or {OTHER} (the rest)")
        if len(set(self.values)) < len(self.values):
            raise RecipeError("split_by.values names a value twice")
        labels = self.labels() or ()
        _check(labels, "split_by.values")
        check_count(labels)

    def labels(self) -> tuple[str, ...] | None:
        """All possible labels, in order; None if the column's values decide."""
        if self.edges:
            names = [str(int(edge)) if edge.is_integer() else repr(edge).replace("+", "") for edge in self.edges]
            between = (f"{low}_to_{high}" for low, high in pairwise(names))
            return (f"below_{names[0]}", *between, f"from_{names[-1]}", NONE)
        return (*self.values, OTHER, NONE) if self.values else None

    def of(self, table: pa.Table) -> pa.ChunkedArray:
        """The column's values [N]. A field of a null struct is null."""
        name, *fields = self.column.split(".")
        column = table[name]
        for field in fields:
            column = pc.struct_field(column, field)
        return column

    def check_type(self, kind: pa.DataType) -> None:
        """Raises RecipeError for a column of a type that cannot be split this way."""
        number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_dictionary(kind)
        if self.edges and not number:
            raise RecipeError(f"split_by.edges need numbers, {self.column} holds {kind}; give values instead")
        if not self.edges and not (text or pa.types.is_integer(kind) or pa.types.is_boolean(kind)):
            hint = "edges" if number else "a field of it, as struct.field" if pa.types.is_struct(kind) else "another"
            raise RecipeError(f"split_by cannot take the values of {self.column}, which holds {kind}; give {hint}")

    def split(self, column: pa.Array) -> tuple[npt.NDArray[np.int64], tuple[str, ...]]:
        """Values [N] -> each one's label as its number int64[N] in the labels, which come second. Raises RecipeError
        for a value that cannot be a label, and for more than MAX_LABELS of them."""
        self.check_type(column.type)
        known = self.labels()
        if self.edges and known:
            values = np.asarray(pc.fill_null(column.cast(pa.float64(), safe=False), np.nan))
            numbers = np.searchsorted(np.array(self.edges), values, side="right").astype(np.int64)
            numbers[np.isnan(values)] = len(known) - 1
            return numbers, known
        column = column.cast(pa.string())
        if known is None:
            values = pc.unique(column.drop_null()).sort().to_pylist()
            _check(values, f"a value of {self.column}")
            known = tuple(dict.fromkeys((*values, NONE) if column.null_count else values))
            check_count(known)
            return np.asarray(pc.index_in(column.fill_null(NONE), pa.array(known, pa.string())), np.int64), known
        numbers = pc.fill_null(pc.index_in(column, pa.array(self.values, pa.string())), len(self.values))
        numbers = pc.if_else(column.is_null(), len(self.values) + 1, numbers)
        return np.asarray(numbers, np.int64), known


def check_count(labels: Collection[Any]) -> None:
    """Raises RecipeError for more labels than a stage may have."""
    if len(labels) > MAX_LABELS:
        raise RecipeError(
            f"split_by makes {len(labels)} sub-sources, {MAX_LABELS} are possible; name the values that matter, or "
            "give fewer edges"
        )


def _check(labels: Sequence[str], what: str) -> None:
    for label in labels:
        if not _LABEL.fullmatch(label):
            raise RecipeError(
                f"{what} is {label!r}, which cannot name a sub-source; give values of 1 to 64 letters, digits, _, - "
                "and ."
            )
