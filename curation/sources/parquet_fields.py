"""The fields of a Parquet file that a recipe names: whether the file has each once, in a type that can be read, and its
texts as UTF-8, in whatever layout Arrow has them: nothing checks the strings of a file.
"""

import difflib
from collections.abc import Iterator, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.errors import InputError

_KINDS = (pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view())


def check_fields(schema: pa.Schema, fields: Mapping[str, str], path: str) -> None:
    """Raises InputError, which names the file, for a field that is not there, is there twice, or is of a type that its
    document column cannot be made of. `fields`: document column -> dotted field."""
    for name, field in fields.items():
        found = _places(schema, field)
        if not found:
            raise InputError(f"{path} {_missing(schema, field)}")
        if len(found) > 1:
            raise InputError(f"{path} has {len(found)} columns {field!r}; rename or remove all but one of them")
        kind = _type_at(schema, found[0])
        number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        if not (name == "crawled_at" or kind == pa.null() or is_text(kind) or (name == "id" and number)):
            raise InputError(f"column {field!r} of {path} is {kind}; {name} must be text{_inside(kind, name, field)}")


def values_of(batch: pa.RecordBatch, field: str) -> pa.Array:
    """The values [N] of a field that `check_fields` has passed."""
    first, *rest = _places(batch.schema, field)[0]
    return pc.struct_field(batch.column(first), rest) if rest else batch.column(first)


def _places(schema: pa.Schema, field: str) -> list[tuple[int, ...]]:
    """Where the field stands, as the numbers of columns within columns: a column whose own name has the dots goes
    before one within another."""
    places = list(_matches(list(schema), field))
    least = min(map(len, places), default=0)
    return [place for place in places if len(place) == least]


def _matches(columns: list[pa.Field], field: str) -> Iterator[tuple[int, ...]]:
    for number, column in enumerate(columns):
        if column.name == field:
            yield (number,)
        if pa.types.is_struct(column.type) and field.startswith(f"{column.name}."):
            for place in _matches(list(column.type), field[len(column.name) + 1 :]):
                yield (number, *place)


def _type_at(schema: pa.Schema, place: tuple[int, ...]) -> pa.DataType:
    kind = schema.field(place[0]).type
    for number in place[1:]:
        kind = kind.field(number).type
    return kind


def _missing(schema: pa.Schema, field: str) -> str:
    known = list(_paths(list(schema)))
    near = difflib.get_close_matches(field, known, 1, cutoff=0.0)
    nearest = f"; the nearest name is {near[0]}" if near else ""
    return f"has no column {field!r}; it has {', '.join(known) or 'none'}{nearest}"


def _paths(columns: list[pa.Field], prefix: str = "") -> Iterator[str]:
    for column in columns:
        yield prefix + column.name
        if pa.types.is_struct(column.type):
            yield from _paths(list(column.type), f"{prefix}{column.name}.")


def _inside(kind: pa.DataType, name: str, field: str) -> str:
    """For a struct, how one of its texts is named."""
    texts = [one.name for one in kind if is_text(one.type)] if pa.types.is_struct(kind) else []
    return f": write `{name}: {field}.{texts[0]}` for the one within it" if texts else ""


def is_text(kind: pa.DataType) -> bool:
    """Whether the type is strings or bytes, or a dictionary of them."""
    return kind in _KINDS or (pa.types.is_dictionary(kind) and kind.value_type in _KINDS)


def as_utf8(values: pa.Array, target: pa.DataType) -> tuple[pa.Array, int]:
    """Strings or bytes [N], no dictionary, as `target` (string or large_string) with U+FFFD for invalid bytes; and how
    many values had some."""
    contents = values.cast(pa.large_binary())
    try:
        return contents.cast(target), 0
    except pa.ArrowInvalid:  # some value is not UTF-8
        pass
    texts: list[str | None] = []
    invalid = 0
    for content in contents.to_pylist():
        try:
            texts.append(None if content is None else content.decode())
        except UnicodeDecodeError:
            texts.append(content.decode("utf-8", "replace"))
            invalid += 1
    return pa.array(texts, target), invalid
