"""Documents that a program holds, a batch at a time: each form gives the same table."""

from collections.abc import Iterator
from typing import Any

import datasets
import pandas
import pyarrow as pa
import pytest

from curation.core.documents_given import ROWS, batches_of
from curation.core.errors import UserError

TEXTS = ["one", None, "three"]
ROWS_GIVEN = [{"text": text, "id": number} for number, text in enumerate(TEXTS)]
TABLE = pa.table({"text": TEXTS, "id": [0, 1, 2]})


def reader() -> pa.RecordBatchReader:
    return pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches(max_chunksize=2))


class Stream:
    """A table that only exports itself, as those of Polars and DuckDB do."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return TABLE.__arrow_c_stream__(requested_schema)

    schema = None


def generated() -> Iterator[dict[str, Any]]:
    yield from ROWS_GIVEN


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(ROWS_GIVEN, id="mappings"),
        pytest.param(generated(), id="a generator"),
        pytest.param(TABLE, id="a table"),
        pytest.param(TABLE.to_batches()[0], id="a record batch"),
        pytest.param(reader(), id="a reader"),
        pytest.param(Stream(), id="what exports a stream"),
        pytest.param(pandas.DataFrame(ROWS_GIVEN), id="a frame"),
        pytest.param(datasets.Dataset.from_list(ROWS_GIVEN), id="a data set"),
        pytest.param(datasets.Dataset.from_list(ROWS_GIVEN).to_iterable_dataset(), id="a data set as a stream"),
        pytest.param(datasets.Dataset.from_list(ROWS_GIVEN[::-1]).select([2, 1, 0]), id="a selection of a data set"),
    ],
)
def test_documents(given: Any) -> None:
    table = pa.concat_tables(batches_of(given)).select(["text", "id"])
    assert table.schema.field("text").type == pa.large_string()
    assert table.to_pylist() == [{"text": "one", "id": 0}, {"text": None, "id": 1}, {"text": "three", "id": 2}]


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(TEXTS, id="a list"),
        pytest.param(iter(TEXTS), id="an iterator"),
        pytest.param(pa.array(TEXTS), id="an array"),
        pytest.param(pa.chunked_array([TEXTS[:1], TEXTS[1:]]), id="chunks"),
        pytest.param(pandas.Series(TEXTS, name="body"), id="a series"),
    ],
)
def test_texts_alone(given: Any) -> None:
    assert pa.concat_tables(batches_of(given)).to_pylist() == [{"text": text} for text in TEXTS]


def test_an_iterable_is_read_a_batch_at_a_time() -> None:
    read = []

    def texts() -> Iterator[str]:
        for number in range(3 * ROWS):
            read.append(number)
            yield str(number)

    batches = batches_of(texts())
    assert len(next(batches)) == len(read) == ROWS


@pytest.mark.parametrize(
    ("given", "message"),
    [
        pytest.param("a text", "str is not what documents can be read from", id="one text"),
        pytest.param({"train": []}, "dict is not what .* name one split of it; give texts", id="splits"),
        pytest.param(3, "int is not what documents can be read from", id="a number"),
        pytest.param([["a"]], "a document is of type list; give texts, or mappings with `text`", id="lists"),
        pytest.param(pandas.DataFrame({"body": ["a"]}), "no column `text`, only body; rename one", id="a frame"),
        pytest.param(["a", 3], "a document is of type int", id="a number among texts"),
    ],
)
def test_what_holds_no_documents(given: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        list(batches_of(given))
