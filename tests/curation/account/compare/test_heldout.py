"""Held-out documents: kinds, what is left out of them, and mistakes."""

import dataclasses
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from curation.account.compare.heldout import ALL, HeldoutKind, held_out
from curation.account.compare.run_text import RunText
from curation.core.errors import InputError, UserError
from curation.text.text_hash import text_hashes
from tests.curation.account.compare.texts import write

CLEAN: list[str | None] = [f"document {number}" for number in range(6)]


def run(*texts: str) -> RunText:
    return RunText("run", "run", pa.array(texts, pa.large_string()), np.zeros(len(texts), np.uint64))


def test_what_a_run_has_is_left_out_and_counted(tmp_path: Path) -> None:
    texts = [*CLEAN, "Stands in   a run.", "document 0", None, " "]
    path = write(tmp_path / "books.first.jsonl", texts)
    found = held_out([path], [run("other"), run("Stands in a run.", "more")])
    assert found.texts.to_pylist() == CLEAN
    assert found.kind.tolist() == [0] * 6
    assert found.kinds == (HeldoutKind("books", 6, 6 * len("document 0"), in_runs=1, copies=1, empty=2),)


def test_what_a_run_read_is_left_out_however_it_was_edited(tmp_path: Path) -> None:
    path = write(tmp_path / "mail.jsonl", [*CLEAN, "Write to jane.doe@example.org"])
    edited = dataclasses.replace(
        run("Write to <EMAIL>"), as_read=text_hashes(pa.array(["write to Jane.Doe@example.org"], pa.large_string()))
    )
    assert held_out([path], [edited]).kinds[0].in_runs == 1


def test_kinds_are_files_or_a_field(tmp_path: Path) -> None:
    first = write(tmp_path / "a.jsonl", CLEAN, topic=["x"] * 6)
    write(tmp_path / "b.jsonl", [f"other {text}" for text in CLEAN], topic=["y"] * 3 + ["x"] * 3)
    found = held_out([str(tmp_path / "*.jsonl")], [run()])
    assert [(kind.name, kind.documents) for kind in found.kinds] == [("a", 6), ("b", 6)]
    assert found.kind.tolist() == [0] * 6 + [1] * 6
    with pytest.raises(InputError, match=r"the held-out kind 'y' has 3 documents to judge by .* needs 5"):
        held_out([first, str(tmp_path / "b.jsonl")], [run()], by="topic")


@pytest.mark.parametrize(
    ("name", "texts", "message"),
    [
        pytest.param("few.jsonl", CLEAN[:4], "'few' has 4 documents to judge by .0 stand in a run", id="few"),
        pytest.param("none.jsonl", [], r"no field 'text'|no document in it|cannot read", id="empty file"),
        pytest.param("blank.jsonl", [" "] * 6, "has 0 documents to judge by .* 6 have no text", id="without text"),
        pytest.param(f"{ALL}.jsonl", CLEAN, "stands for the mean of all", id="name of the mean"),
    ],
)
def test_what_nothing_can_be_judged_by(tmp_path: Path, name: str, texts: list[str | None], message: str) -> None:
    with pytest.raises(UserError, match=message):
        held_out([write(tmp_path / name, texts)], [run("text")])


def test_files_must_be_named() -> None:
    with pytest.raises(UserError, match="name clean texts that no run has: --heldout FILE"):
        held_out([], [run("text")])
