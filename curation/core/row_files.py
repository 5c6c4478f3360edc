"""Files of rows that users name, as DuckDB reads them: JSON lines, Parquet, CSV; also .gz and .zst, from any store.

One thread, so that rows come in the order of the file.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.fs as pafs

from curation.core import storage
from curation.core.credentials import masked
from curation.core.errors import InputError

JSON_ENDINGS = (".jsonl", ".ndjson", ".json")
CSV_ENDINGS = (".csv", ".tsv")
COMPRESSED = (".gz", ".zst")
MOST_BYTES = 64 << 20  # of one line


@contextmanager
def reading(failed: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection; what goes wrong with it or a file is raised as InputError, in a line that begins with `failed`."""
    with duckdb.connect(config={"threads": 1, "preserve_insertion_order": True}) as connection:
        try:
            yield connection
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            raise InputError(f"{failed}: {masked(cause(error))}") from error


def rows_of(
    connection: duckdb.DuckDBPyConnection, uri: str, *, csv: bool = False, **json: Any
) -> duckdb.DuckDBPyRelation | None:
    """All rows of a file; None if its name has another ending. `json` are options of DuckDB's reader of JSON lines."""
    fs, path = storage.resolve(uri)
    name = path
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    if isinstance(fs, pafs.PyFileSystem):
        connection.register_filesystem(fs.handler.fs)
        path = fs.handler.fs.unstrip_protocol(path)
    if name.endswith(".parquet"):
        return connection.read_parquet(path)
    if csv and name.endswith(CSV_ENDINGS):
        return connection.read_csv(path, all_varchar=True, header=True)
    if name.endswith(JSON_ENDINGS):
        return connection.read_json(path, format="newline_delimited", maximum_object_size=MOST_BYTES, **json)
    return None


def check_condition(connection: duckdb.DuckDBPyConnection, where: str) -> None:
    """Raises InputError for what is no condition over a row's own fields: another table or file in it, or a function
    that may give something else each time, so that the same recipe could choose other rows."""
    query = literal(f"SELECT 1 FROM rows WHERE {where}")
    parsed = json.loads(connection.sql(f"SELECT json_serialize_sql({query})").fetchall()[0][0])
    if parsed["error"]:
        raise InputError(f"where is no condition: {parsed['error_message']}")
    (statement,) = parsed["statements"]
    nodes = list(_nodes(statement))
    if statement["node"]["type"] != "SELECT_NODE" or any(node.get("class") == "SUBQUERY" for node in nodes):
        raise InputError("where holds a query; give a condition over the fields of the file, such as: score >= 4")
    known = "SELECT function_name FROM duckdb_functions() WHERE stability <> 'CONSISTENT'"
    changing = {name for (name,) in connection.sql(known).fetchall()}
    name = next((name for node in nodes if (name := node.get("function_name")) in changing), None)
    if name is not None:
        raise InputError(f"where calls {name}, whose value differs from run to run; use the fields of the file")


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Every object in a JSON value."""
    if isinstance(tree, dict):
        yield tree
    for inside in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from _nodes(inside)


def cause(error: Exception) -> str:
    """What DuckDB says went wrong, in one line, without the query."""
    return " ".join(str(error).partition("\n\nLINE")[0].split())


def field(name: str) -> str:
    """A field as SQL names it, one inside another by dots."""
    return ".".join('"' + part.replace('"', '""') + '"' for part in name.split("."))


def literal(value: str) -> str:
    """A text as SQL writes it."""
    return "'" + value.replace("'", "''") + "'"
