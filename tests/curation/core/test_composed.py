"""Rows of a shard at a stage, each column from the nearest file that holds it for all rows."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core.composed import all_columns, kept_rows, read_rows, schema_of
from curation.core.document import TEXT_OF_DROPPED
from curation.core.errors import InputError

LOW = "a.b:low"


def write(path: Path, columns: dict[str, list[Any]], *, own_text: bool = True, group: int = 4) -> str:
    table = pa.table(
        {name: pa.array(values, pa.string()) if name == "drop_reason" else values for name, values in columns.items()}
    )
    if not own_text:
        at = table.schema.get_field_index("text")
        table = table.set_column(at, TEXT_OF_DROPPED, table["text"].cast(pa.large_string()))
    pq.write_table(table, path, row_group_size=group)
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, ...]:
    """A shard after read (30 rows, every third dropped), a filter (20 rows, those of even n dropped), a rewriter
    (10 rows, none dropped) and another filter (10 rows, the first dropped); nearest first."""
    read = list(range(30))
    first = [n for n in read if n % 3]
    second = [n for n in first if n % 2]
    reasons = [LOW if n % 2 == 0 else None for n in first]
    texts = [f"text {n}" for n in read]
    last = [LOW, *[None] * (len(second) - 1)]
    paths = [
        write(
            tmp_path / "read",
            {"id": read, "text": texts, "licence": read, "drop_reason": [None if n % 3 else LOW for n in read]},
        ),
        write(
            tmp_path / "filter",
            {
                "id": first,
                "measure": [{"n": n, "m": -n} for n in first],
                "text": [f"text {n}" if n % 2 == 0 else None for n in first],
                "drop_reason": reasons,
            },
            own_text=False,
            group=7,
        ),
        write(
            tmp_path / "rewrite",
            {"id": second, "text": [f"edited {n}" for n in second], "drop_reason": [None] * len(second)},
            group=3,
        ),
        write(
            tmp_path / "last",
            {"id": second, "text": [f"edited {second[0]}", *[None] * 9], "drop_reason": last},
            own_text=False,
        ),
    ]
    return tuple(reversed(paths))


def rows(files: tuple[str, ...], *columns: str, **which: Any) -> list[dict[str, Any]]:
    return [row for table in read_rows(files, columns, **which) for row in table.to_pylist()]


def test_each_column_is_from_the_latest_stage_that_has_it(files: tuple[str, ...]) -> None:
    numbers = [n for n in range(30) if n % 3 and n % 2]
    expected = [
        {"licence": n, "text": f"edited {n}", "measure": {"n": n}, "id": n, "drop_reason": LOW if n == 1 else None}
        for n in numbers
    ]
    names = ("licence", "text", "measure.n", "id", "drop_reason")
    assert rows(files, *names) == expected
    assert rows(files, *names, kept_only=True) == expected[1:]
    assert rows(files, *names, rows=np.array([0, 4, 9])) == [expected[at] for at in (0, 4, 9)]


def test_text_before_the_rewriter_is_that_of_the_first_stage_also_of_dropped_rows(files: tuple[str, ...]) -> None:
    found = rows(files[2:], "id", "text")
    assert found == [{"id": n, "text": f"text {n}"} for n in range(30) if n % 3]
    assert [row["id"] for row in rows(files[2:], "id", kept_only=True)] == [n for n in range(30) if n % 3 and n % 2]


def test_files_that_are_not_needed_are_not_opened(files: tuple[str, ...]) -> None:
    for path in files[2:]:
        Path(path).unlink()
    assert len(rows(files, "id", "text", "drop_reason")) == 10
    with pytest.raises(InputError, match=r"no file at .*/filter: copy the whole run"):
        rows(files, "measure")


def test_no_rows(files: tuple[str, ...]) -> None:
    assert rows(files, "text", rows=np.empty(0, np.int64)) == []


def test_types_and_names(files: tuple[str, ...]) -> None:
    assert schema_of(files, ["measure", "text"]).names == ["measure", "text"]
    assert schema_of(files[2:], ["text"]).field("text").type == pa.string()
    assert set(all_columns(files).names) == {"id", "text", "measure", "licence", "drop_reason"}
    assert all_columns(files[:1]).names == ["id", "drop_reason"]
    assert kept_rows(files).tolist() == [False, *[True] * 9]


def test_a_column_that_no_file_has(files: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match=r"the stages before it have no column 'tokens': copy the whole run"):
        rows(files, "tokens")


@pytest.mark.parametrize("row", [-1, 10])
def test_a_row_that_is_not_there(files: tuple[str, ...], row: int) -> None:
    with pytest.raises(IndexError):
        rows(files, "id", rows=np.array([row]))


def test_files_of_different_shards(files: tuple[str, ...], tmp_path: Path) -> None:
    other = write(tmp_path / "other", {"text": ["a"], "drop_reason": [None]})
    with pytest.raises(InputError, match=r"does not have the rows that .*/other kept; curate again"):
        rows((files[0], other), "text")


def test_a_damaged_file_is_named(files: tuple[str, ...]) -> None:
    """Whichever others are open."""
    for damaged in files[1:]:
        content = Path(damaged).read_bytes()
        Path(damaged).write_bytes(b"\xff" * 4 + b"\xff" * (len(content) // 3) + content[len(content) // 3 + 4 :])
        with pytest.raises(InputError, match=f"{damaged} cannot be read as Parquet"):
            rows(files, "licence", "text", "measure")
        Path(damaged).write_bytes(content)
