"""Reads the items of evaluation sets from files, JSON lines, Parquet or CSV, by DuckDB, in the order of the files; or
takes a few that the recipe itself states, such as a canary.

A field inside another is named with dots (`choices.text`). A field of whole numbers is, beside `choices`, the place of
the right choice, from 0; otherwise an answer is its own text. Choices are a list, or several fields in order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.close_names import nearest
from curation.core.credentials import masked
from curation.core.errors import InputError, RecipeError
from curation.core.row_files import field, reading, rows_of

RECIPE = "the recipe"

ITEMS = pa.schema(
    [
        ("set", pa.string()),
        ("id", pa.string()),  # "<set>/<value of the id field, else number of the row in the set, from 0>"
        ("row", pa.int64()),  # in the set, over its files in order
        ("question", pa.large_string()),
        ("answer", pa.large_string()),  # empty where there is none
        ("choices", pa.large_list(pa.large_string())),  # all but the answer; empty where there are none
    ]
)


@dataclass(frozen=True, kw_only=True)
class EvalSet:
    """Where a set's items are, and in which fields."""

    files: Annotated[str | tuple[str, ...], "paths, folders, globs or URIs"] = ()
    items: Annotated[tuple[dict[str, Any], ...], "or the items themselves"] = ()
    question: Annotated[str, "field of the text of an item"] = "question"
    answer: Annotated[str, 'field of the right answer; "": there is none, or it stays unread'] = ""
    choices: Annotated[str | tuple[str, ...], "fields of the answers to choose from, or one field with a list"] = ()
    id: Annotated[str, 'a field that names items; "": their row'] = ""

    def __post_init__(self) -> None:
        if bool(self.files) == bool(self.items):
            raise RecipeError("give either files, where the items are, or items, the items themselves")
        if not self.question:
            raise RecipeError("question is empty; name the field of the items' question")
        choices = (self.choices,) if isinstance(self.choices, str) else self.choices
        for name in filter(None, (self.question, self.answer, self.id, *choices)) if self.items else ():
            if not any(name in item for item in self.items):
                raise RecipeError(f"items: none has the field {name!r}; they have {', '.join(self.items[0])}")

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.files,) if isinstance(self.files, str) else self.files


def read_items(name: str, chosen: EvalSet, files: Sequence[str]) -> pa.Table:
    """ITEMS of a set's files, in order, or of the recipe. Rows without a question are left out, and keep their number.

    Raises InputError for a file that cannot be read or lacks a field, for two items of one id, and for a set without a
    question."""
    tables = [ITEMS.empty_table()]
    rows = 0
    for file in files if chosen.files else (RECIPE,):
        table = _read(chosen, file, _failed(name, file))
        tables.append(_items(name, chosen, table, rows))
        rows += len(table)
    items = pa.concat_tables(tables).combine_chunks()
    where = ", ".join(masked(file) for file in files) or RECIPE
    if not len(items):
        raise InputError(f"evaluation set {name} has no item with a {chosen.question} in {where}; check the files")
    if pc.count_distinct(items["id"]).as_py() < len(items):
        twice = next(e["values"] for e in pc.value_counts(items["id"]).to_pylist() if e["counts"] > 1)
        raise InputError(f"evaluation set {name} has two items called {twice} in {where}; name another field as id")
    return items


def first_items(name: str, chosen: EvalSet, file: str, rows: int) -> pa.Table:
    """ITEMS of the first rows of a file. Raises InputError for a file that cannot be read, lacks a field or has no
    rows."""
    table = _read(chosen, file, _failed(name, file), limit=f" LIMIT {rows}")
    if not len(table):
        raise InputError(f"evaluation set {name}: {masked(file)} is empty; leave it out, or check what wrote it")
    return _items(name, chosen, table, 0)


def _failed(name: str, file: str) -> str:
    return f"evaluation set {name}: cannot read {masked(file)}"


def _items(name: str, chosen: EvalSet, table: pa.Table, before: int) -> pa.Table:
    """ITEMS of the rows that have a question, after so many rows of the set."""
    numbers = pa.array(range(before, before + len(table)), pa.int64())
    ids = table["id"] if chosen.id else numbers.cast(pa.string())
    named = pc.binary_join_element_wise(name, ids, "/")
    columns = [pa.array([name] * len(table), pa.string()), named, numbers, *_texts(table)]
    items = pa.table(dict(zip(ITEMS.names, columns, strict=True)), schema=ITEMS)
    return items.filter(pc.not_equal(pc.utf8_trim_whitespace(items["question"]), ""))


def _texts(table: pa.Table) -> tuple[pa.ChunkedArray, pa.ChunkedArray, pa.Array]:
    """Question, answer, and the choices that are not the answer."""
    answers = []
    others = []
    for answer, place, choices in zip(*(table[n].to_pylist() for n in ("answer", "place", "choices")), strict=True):
        given = [choice for choice in choices or () if choice]
        if choices and place is not None and 0 <= place < len(choices):
            answer = choices[place] or ""
        answers.append(answer or "")
        others.append([choice for choice in given if choice != answer])
    kind = ITEMS.field("choices").type
    return pc.fill_null(table["question"], ""), pa.array(answers, pa.large_string()), pa.array(others, kind)


def _read(chosen: EvalSet, file: str, failed: str, *, limit: str = "") -> pa.Table:
    with reading(failed) as connection:
        rows = _scan(connection, file, failed) if chosen.files else _stated(connection, chosen.items)
        _check_fields(rows, chosen, failed)
        whole = chosen.answer and _whole(rows, chosen.answer)
        values = {
            "id": _text(chosen.id) if chosen.id else "''",
            "question": _text(chosen.question),
            "answer": _text(chosen.answer) if chosen.answer else "''",
            "place": f"CAST({field(chosen.answer)} AS BIGINT)" if whole and chosen.choices else "NULL::BIGINT",
            "choices": _list(chosen.choices),
        }
        columns = ", ".join(f"{value} AS {column}" for column, value in values.items())
        return connection.sql(f"SELECT {columns} FROM rows{limit}").to_arrow_table()


def _check_fields(rows: duckdb.DuckDBPyRelation, chosen: EvalSet, failed: str) -> None:
    """Raises InputError for a column that the rows lack. Fields inside others are found missing when they are read."""
    named = [chosen.question, chosen.answer, chosen.id]
    named += [chosen.choices] if isinstance(chosen.choices, str) else chosen.choices
    known = {column.lower() for column in rows.columns}  # as SQL compares them
    for name in named:
        if name and name.partition(".")[0].lower() not in known:
            if not rows.limit(1).fetchall():
                raise InputError(f"{failed}: it is empty; leave it out, or check what wrote it")
            raise InputError(f"{failed}: it has no field {name!r}{nearest(name, rows.columns)}")


def _stated(connection: duckdb.DuckDBPyConnection, items: Sequence[dict[str, Any]]) -> duckdb.DuckDBPyRelation:
    fields = dict.fromkeys(name for item in items for name in item)
    return connection.from_arrow(pa.table({name: pa.array([item.get(name) for item in items]) for name in fields}))


def _scan(connection: duckdb.DuckDBPyConnection, file: str, failed: str) -> duckdb.DuckDBPyRelation:
    rows = rows_of(connection, file, csv=True, sample_size=-1, convert_strings_to_integers=False)
    if rows is None:
        raise InputError(f"{failed}: its name ends in neither .jsonl, .parquet nor .csv, which .gz or .zst may follow")
    return rows


def _whole(rows: duckdb.DuckDBPyRelation, name: str) -> bool:
    kind = str(rows.select(f"{field(name)} AS value").types[0])
    return "INT" in kind


def _text(name: str) -> str:
    return f"CAST({field(name)} AS VARCHAR)"


def _list(choices: str | tuple[str, ...]) -> str:
    if not choices:
        return "NULL::VARCHAR[]"
    if isinstance(choices, str):
        return f"CAST({field(choices)} AS VARCHAR[])"
    return f"[{', '.join(map(_text, choices))}]"
