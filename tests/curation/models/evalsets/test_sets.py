"""Items from files by fields, and what is refused."""

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core.errors import InputError, RecipeError
from curation.models.evalsets.sets import EvalSet, first_items, read_items
from tests.curation.models.evalsets import write_rows

ROWS: list[dict[str, Any]] = [
    {"q": "one?", "a": "yes", "key": "x"},
    {"q": None, "a": "b", "key": "y"},
    {"q": "three?", "a": None, "key": "z"},
]


def read(path: str, **fields: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = read_items("own", EvalSet(files=path, **fields), [path]).to_pylist()
    return rows


def test_rows_keep_their_number_and_those_without_a_question_go(tmp_path: Path) -> None:
    rows = read(write_rows(tmp_path / "a.jsonl", ROWS), question="q", answer="a")
    assert [(row["id"], row["row"], row["question"], row["answer"]) for row in rows] == [
        ("own/0", 0, "one?", "yes"),
        ("own/2", 2, "three?", ""),
    ]


def test_a_field_of_ids(tmp_path: Path) -> None:
    rows = read(write_rows(tmp_path / "a.jsonl", ROWS), question="q", id="key")
    assert [row["id"] for row in rows] == ["own/x", "own/z"]


def test_several_files_are_one_set(tmp_path: Path) -> None:
    paths = [write_rows(tmp_path / f"{n}.jsonl", ROWS) for n in range(2)]
    items = read_items("own", EvalSet(files=tuple(paths), question="q"), paths)
    assert items["row"].to_pylist() == [0, 2, 3, 5]


def test_every_kind_of_file(tmp_path: Path) -> None:
    parquet, csv, packed = (str(tmp_path / f"a.{ending}") for ending in ("parquet", "csv", "jsonl.gz"))
    pq.write_table(pa.Table.from_pylist(ROWS), parquet)
    Path(csv).write_text('q,a\n"one?",yes\n,b\n"three?",\n')
    Path(packed).write_bytes(gzip.compress("\n".join(map(json.dumps, ROWS)).encode()))
    for path in (parquet, csv, packed):
        assert [row["question"] for row in read(path, question="q", answer="a")] == ["one?", "three?"], path


def test_items_that_the_recipe_states() -> None:
    stated = EvalSet(
        items=({"question": "one?", "answer": 1, "choices": ["a", "b"]}, {"question": "two?"}),
        answer="answer",
        choices="choices",
    )
    rows = read_items("own", stated, []).to_pylist()
    assert [(row["id"], row["question"], row["answer"], row["choices"]) for row in rows] == [
        ("own/0", "one?", "b", ["a"]),
        ("own/1", "two?", "", []),
    ]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        pytest.param({}, "either files", id="neither"),
        pytest.param({"files": ""}, "either files", id="an empty path"),
        pytest.param({"files": "a.jsonl", "items": ({"question": "?"},)}, "either files", id="both"),
        pytest.param({"items": ({"q": "?"},)}, "none has the field 'question'; they have q", id="no question"),
    ],
)
def test_files_or_items(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        EvalSet(**fields)


@pytest.mark.parametrize(
    ("row", "fields", "answer", "choices"),
    [
        pytest.param({"a": 1, "c": ["x", "y", "z"]}, {"choices": "c"}, "y", ["x", "z"], id="place of a choice"),
        pytest.param({"a": "z", "c": ["x", "y", "z"]}, {"choices": "c"}, "z", ["x", "y"], id="text of a choice"),
        pytest.param(
            {"a": "B", "c": {"text": ["x", "y"]}}, {"choices": "c.text"}, "B", ["x", "y"], id="a field inside"
        ),
        pytest.param({"a": "y", "c1": "x", "c2": "y"}, {"choices": ("c1", "c2")}, "y", ["x"], id="fields in order"),
        pytest.param({"a": 7}, {}, "7", [], id="a number without choices"),
        pytest.param({"a": 9, "c": ["x"]}, {"choices": "c"}, "9", ["x"], id="no such choice"),
    ],
)
def test_answers(tmp_path: Path, row: dict[str, Any], fields: dict[str, Any], answer: str, choices: list[str]) -> None:
    (item,) = read(write_rows(tmp_path / "a.jsonl", [{"question": "what?", **row}]), answer="a", **fields)
    assert (item["answer"], item["choices"]) == (answer, choices)


def test_the_first_rows_of_a_file(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "a.jsonl", ROWS)
    for rows, ids in ((1, ["own/0"]), (2, ["own/0"]), (3, ["own/0", "own/2"])):
        assert first_items("own", EvalSet(files=path, question="q"), path, rows)["id"].to_pylist() == ids


def test_a_missing_field_is_named(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "a.jsonl", ROWS)
    with pytest.raises(
        InputError, match=r"evaluation set own: cannot read .*a.jsonl: it has no field 'prompt'; known: "
    ):
        first_items("own", EvalSet(files=path, question="prompt"), path, 1)
    with pytest.raises(InputError, match=r"it has no field 'keys'; did you mean 'key'\?"):
        first_items("own", EvalSet(files=path, question="keys"), path, 1)


def test_an_empty_file_and_one_that_is_no_set(tmp_path: Path) -> None:
    empty, other, wrong = (tmp_path / name for name in ("a.parquet", "a.txt", "b.jsonl"))
    pq.write_table(pa.table({"question": pa.array([], pa.string())}), empty)
    other.write_text("question")
    nothing = tmp_path / "nothing.jsonl"
    nothing.touch()
    with pytest.raises(InputError, match=r"nothing\.jsonl: it is empty; leave it out"):
        first_items("own", EvalSet(files=str(nothing)), str(nothing), 1)
    wrong.write_bytes(b"\x00\x01 no lines")
    with pytest.raises(InputError, match=r"a\.parquet is empty"):
        first_items("own", EvalSet(files=str(empty)), str(empty), 1)
    with pytest.raises(InputError, match=r"neither \.jsonl, \.parquet nor \.csv"):
        first_items("own", EvalSet(files=str(other)), str(other), 1)
    with pytest.raises(InputError, match=r"cannot read .*b\.jsonl"):
        first_items("own", EvalSet(files=str(wrong)), str(wrong), 1)


def test_a_set_with_an_id_twice(tmp_path: Path) -> None:
    twice = write_rows(tmp_path / "b.jsonl", [{"question": "a", "id": 1}, {"question": "b", "id": 1}])
    with pytest.raises(InputError, match="two items called own/1"):
        read(twice, id="id")
