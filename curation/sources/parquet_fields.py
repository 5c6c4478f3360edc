"""The fields of a Parquet file that a recipe names: whether the file has each once, in a type that can be read, and its
texts as UTF-8, in whatever layout Arrow has them: nothing checks the strings of a file.
"""

from collections.abc import Iterable, Iterator, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.close_names import close_names
from curation.core.errors import InputError
from curation.sources.field_values import NUMBERS, alternatives, joined, joined_lists, within_json

_KINDS = (pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view())


def check_fields(schema: pa.Schema, fields: Mapping[str, str], path: str) -> None:
    """Raises InputError, which names the file, for a field that is not there, is there twice, or is of a type that its
    document column cannot be made of. `fields`: document column -> dotted field, or several with `|` between them, of
    which one must be there."""
    for name, field in fields.items():
        there = present(schema, field)
        if not there:
            raise InputError(f"{path} {_missing(schema, alternatives(field)[0])}")
        for one in there:
            found = _places(schema, one)
            if len(found) > 1:
                raise InputError(f"{path} has {len(found)} columns {one!r}; rename or remove all but one of them")
            if not found:
                continue  # within a text that holds JSON
            kind = _type_at(schema, found[0])
            number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
            fits = is_text(kind) or is_texts(kind) or kind == pa.null()
            if not (name == "crawled_at" or fits or (name in NUMBERS and number)):
                raise InputError(f"column {one!r} of {path} is {kind}; {name} must be text{_inside(kind, name, one)}")


def present(schema: pa.Schema, field: str) -> list[str]:
    """Those of the field's alternatives that the file has."""
    return [one for one in alternatives(field) if _places(schema, one) or _json_column(schema, one)]


def columns_of(schema: pa.Schema, fields: Mapping[str, str]) -> list[str]:
    """The columns to read for these fields, sorted: each that is there, or the text that may hold it as JSON."""
    there = {one for field in fields.values() for one in present(schema, field)}
    return sorted({one if _places(schema, one) else _json_column(schema, one) for one in there})


def values_of(batch: pa.RecordBatch, name: str, field: str) -> pa.Array:
    """The values [N] of a field that `check_fields` has passed, for the document column `name`."""
    columns = [_one_field(batch, name, one) for one in present(batch.schema, field)]
    return columns[0] if len(columns) == 1 else pc.coalesce(*(_plain(name, column) for column in columns))


def _plain(name: str, values: pa.Array) -> pa.Array:
    """Values as they must be to stand beside those of another column: neither lists nor a dictionary."""
    if is_texts(values.type):
        return joined_lists(name, values).cast(pa.large_binary())
    values = values.dictionary_decode() if pa.types.is_dictionary(values.type) else values
    return (values if is_text(values.type) else values.cast(pa.large_string())).cast(pa.large_binary())


def _one_field(batch: pa.RecordBatch, name: str, field: str) -> pa.Array:
    places = _places(batch.schema, field)
    if places:
        first, *rest = places[0]
        return pc.struct_field(batch.column(first), rest) if rest else batch.column(first)
    column = _json_column(batch.schema, field)
    values = batch.column(column)
    values = values.dictionary_decode() if pa.types.is_dictionary(values.type) else values
    found = within_json(values, field[len(column) + 1 :].split("."))
    texts = (joined(name, value) if isinstance(value, list) else value for value in found)
    return pa.array([value if isinstance(value, str) else None for value in texts], pa.large_string())


def _json_column(schema: pa.Schema, field: str) -> str:
    """The column of texts within which a dotted field may be; "" if there is none."""
    columns = (column.name for column in schema if is_text(column.type) and field.startswith(f"{column.name}."))
    return next(columns, "")


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
    known = [name for name, _ in paths_of(schema)]
    near = close_names(field, known, cutoff=0.0)
    nearest = f"; the nearest name is {near[0]}" if near else ""
    return f"has no column {field!r}; it has {', '.join(known) or 'none'}{nearest}"


def paths_of(columns: Iterable[pa.Field], prefix: str = "") -> Iterator[tuple[str, pa.DataType]]:
    """The dotted name of each column and of those within it, with its type."""
    for column in columns:
        yield prefix + column.name, column.type
        if pa.types.is_struct(column.type):
            yield from paths_of(column.type, f"{prefix}{column.name}.")


def _inside(kind: pa.DataType, name: str, field: str) -> str:
    """For a struct, how one of its texts is named."""
    texts = [one.name for one in kind if is_text(one.type)] if pa.types.is_struct(kind) else []
    return f": write `{name}: {field}.{texts[0]}` for the one within it" if texts else ""


def is_text(kind: pa.DataType) -> bool:
    """Whether the type is strings or bytes, or a dictionary of them."""
    return kind in _KINDS or (pa.types.is_dictionary(kind) and kind.value_type in _KINDS)


def is_texts(kind: pa.DataType) -> bool:
    """Whether the type is lists of what `is_text` takes."""
    return (pa.types.is_list(kind) or pa.types.is_large_list(kind)) and is_text(kind.value_type)


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
