"""People's main text of pages, from files: JSON lines or Parquet, with the fields `url` and `text`.

Of rows with the same URL the first counts; rows that lack either field are left out.
"""

from collections.abc import Sequence
from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.credentials import masked
from curation.core.errors import InputError
from curation.core.input_files import InputFile, list_files
from curation.core.row_files import reading, rows_of

_FIELDS = ("url", "text")


def truth_files(patterns: Sequence[str]) -> tuple[InputFile, ...]:
    """The files that paths, folders, globs or URIs name. Raises InputError where one names none."""
    return tuple(dict.fromkeys(file for pattern in patterns for file in list_files(pattern)))


def check_truth(file: str) -> None:
    """Raises InputError for a file that cannot be read or has no row with both fields."""
    if not _rows(file, 1).num_rows:
        raise InputError(f"{masked(file)} has no row with a `url` and a `text`; give people's text of pages by URL")


@lru_cache(maxsize=1)
def read_truth(files: tuple[InputFile, ...]) -> pa.RecordBatch:
    """`url` and `text`, large_string each, in the order of the files. Read once per process and state of the files."""
    return pa.concat_tables([_rows(file.path) for file in files]).combine_chunks().to_batches()[0]


def texts_at(urls: pa.Array, files: tuple[InputFile, ...]) -> pa.Array:
    """large_string[N]: people's text of the pages at these URLs; null where the files have none."""
    truth = read_truth(files)
    return truth["text"].take(pc.index_in(urls.cast(pa.large_string()), truth["url"]))


def _rows(file: str, most: int | None = None) -> pa.Table:
    """At most so many rows with both fields."""
    failed = f"cannot read people's text from {masked(file)}"
    with reading(failed) as connection:
        rows = rows_of(connection, file, columns=dict.fromkeys(_FIELDS, "VARCHAR"))
        if rows is None:
            raise InputError(f"{failed}: its name ends in neither .parquet nor .jsonl, which .gz or .zst may follow")
        texts = ", ".join(f"CAST({name} AS VARCHAR) AS {name}" for name in _FIELDS)
        rows = rows.select(texts).filter("url <> '' AND text <> ''")
        return (
            (rows if most is None else rows.limit(most))
            .to_arrow_table()
            .cast(pa.schema([(name, pa.large_string()) for name in _FIELDS]))
        )
