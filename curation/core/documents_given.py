"""Reads documents that a program holds: texts, mappings, columns and tables of Arrow and pandas, data sets.

`batches_of` reads an iterable of any length a batch at a time; `documents_of` reads what fits in memory, and knows how
answers are given back: one for one text, a list for a list, a table for a table.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import pyarrow as pa

from curation.core.errors import UserError

ROWS = 1_000  # of a batch
FORMS = (
    "texts or mappings with `text`, a column or table of Arrow or pandas, an Arrow reader, or a data set of `datasets`"
)


@dataclass(frozen=True)
class GivenDocuments:
    """GivenDocuments in memory: `table` has `text` as large_string. `given_as` makes what the caller gets of a table of
    answers, of which each row becomes an object where the documents were no table."""

    table: pa.Table
    given_as: Callable[[pa.Table, Callable[[dict[str, Any]], Any]], Any]


def documents_of(given: Any) -> GivenDocuments:
    """Raises UserError for anything but FORMS."""
    if isinstance(given, str | Mapping):
        return GivenDocuments(_table([given]), lambda table, row: row(table.to_pylist()[0]))
    if _is_pandas(given):
        return GivenDocuments(_table_of(given), lambda table, _: _frame(table, given.index))
    if _is_columnar(given):
        return GivenDocuments(_table_of(given), lambda table, _: pa.table(_flat(table)))
    if isinstance(given, bytes) or not isinstance(given, Iterable):
        raise _refused(given)
    return GivenDocuments(_table(list(given)), lambda table, row: [row(one) for one in table.to_pylist()])


def batches_of(given: Any) -> Iterator[pa.Table]:
    """Tables with `text` as large_string, and the other columns as they are given. Raises UserError for anything but
    FORMS."""
    if hasattr(given, "with_format") and hasattr(given, "iter"):  # a data set, or one that is read as a stream
        yield from map(_with_text, _of_data_set(given))
    elif isinstance(given, pa.RecordBatchReader):
        yield from (_with_text(pa.Table.from_batches([batch])) for batch in given)
    elif _is_pandas(given) or _is_columnar(given):
        yield _table_of(given)
    elif isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise _refused(given)
    else:
        rows = iter(given)
        while some := list(islice(rows, ROWS)):
            yield _table(some)


def _of_data_set(given: Any) -> Iterator[pa.Table]:
    for batch in given.with_format("arrow").iter(batch_size=ROWS):
        yield batch if isinstance(batch, pa.Table) else pa.table(batch)


def _refused(given: Any) -> UserError:
    several = "; name one split of it" if isinstance(given, Mapping) else ""
    return UserError(f"{type(given).__name__} is not what documents can be read from{several}; give {FORMS}")


def _is_pandas(given: Any) -> bool:
    return type(given).__module__.partition(".")[0] == "pandas" and hasattr(given, "index")


def _is_columnar(given: Any) -> bool:
    return isinstance(given, pa.Array | pa.ChunkedArray) or hasattr(given, "__arrow_c_stream__")


def _table_of(given: Any) -> pa.Table:
    """A column or a table as a table with `text`."""
    try:
        if _is_pandas(given):
            given = given if hasattr(given, "columns") else given.to_frame("text")
            table = pa.Table.from_pandas(given, preserve_index=False)
        elif isinstance(given, pa.RecordBatch):
            table = pa.Table.from_batches([given])
        elif isinstance(given, pa.Table):
            table = given
        elif isinstance(given, pa.Array | pa.ChunkedArray):
            table = pa.table({"text": given})
        else:
            reader = pa.chunked_array(given) if _is_column(given) else pa.RecordBatchReader.from_stream(given)
            table = pa.table({"text": reader}) if _is_column(given) else reader.read_all()
    except pa.ArrowException as error:
        raise UserError(f"the documents are no table: {error}") from error
    return _with_text(table)


def _is_column(given: Any) -> bool:
    """Whether what exports a stream of Arrow is one column, such as a Series of Polars."""
    return not (hasattr(given, "columns") or hasattr(given, "schema"))


def _with_text(table: pa.Table) -> pa.Table:
    if "text" not in table.column_names:
        raise UserError(f"the documents have no column `text`, only {', '.join(table.column_names)}; rename one")
    kind = table.schema.field("text").type
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_null)
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if not any(is_kind(kind) for is_kind in texts):
        raise UserError(f"the column `text` of the documents holds {kind}, not strings")
    return table.set_column(table.column_names.index("text"), "text", table["text"].cast(pa.large_string()))


def _table(rows: list[Any]) -> pa.Table:
    """The table of texts, or of documents as mappings; a key that some lack is null there."""
    documents = [{"text": row} if isinstance(row, str) or row is None else row for row in rows]
    wrong = next((row for row in documents if not isinstance(row, Mapping)), None)
    if wrong is not None:
        raise UserError(f"a document is of type {type(wrong).__name__}; give texts, or mappings with `text`")
    without = next((row for row in documents if "text" not in row), None)
    if without is not None:
        raise UserError(f"a document has no `text`, only {', '.join(map(str, without))}")
    names = dict.fromkeys(chain(["text"], *documents))
    try:
        return _with_text(pa.table({str(name): pa.array([row.get(name) for row in documents]) for name in names}))
    except (pa.ArrowException, UnicodeEncodeError) as error:
        raise UserError(f"the documents make no table: {error}") from error


def _flat(table: pa.Table) -> dict[str, pa.ChunkedArray]:
    """The columns, with one for each field of a struct, called "<key>.<signal>"."""
    flat = table
    while any(pa.types.is_struct(field.type) for field in flat.schema):
        flat = flat.flatten()
    return {name: flat[name] for name in flat.column_names}


def _frame(table: pa.Table, index: Any) -> Any:
    frame = pa.table(_flat(table)).to_pandas()
    frame.index = index
    return frame
