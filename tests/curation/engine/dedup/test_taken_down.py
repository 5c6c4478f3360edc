"""A dedup stage that runs after a takedown: the documents have no keys, nobody is compared with them, they stay out."""

import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pytest

from curation.account.lineage.requests import read_request
from pipelines.takedown import take_down
from tests.curation.engine.dedup.runs import COPY, curate, manifest, recipe, rows, stage_folder, write_shards

LINE = (
    "a line of text number %d that is longer than any limit on lines, and says so in more than a hundred bytes, or so"
)


def lines(*numbers: int) -> str:
    return "\n\n".join(LINE % number + f" {number}" * 20 for number in numbers)


def again(folder: Path, text: str, *urls: str) -> None:
    """Takes the documents down, and has the dedup stage run anew."""
    (folder / "urls.txt").write_text("\n".join(urls))
    take_down(str(folder / "run"), read_request(str(folder / "urls.txt"), "url"))
    shutil.rmtree(stage_folder(folder / "run"))
    curate(text, folder / "run")


@pytest.mark.parametrize(
    ("methods", "options"),
    [
        ("paragraph: {}", ""),
        ("line: {}", ""),
        ("substring: {}", ""),
        ("substring: {}", "keep: longest"),
    ],
)
def test_spans(methods: str, options: str, tmp_path: Path) -> None:
    write_shards(tmp_path / "given", [[lines(1, 2, 3, 4), lines(1, 5)], [lines(6, 2), lines(7, 3), lines(8, 3)]])
    text = recipe(tmp_path / "given", methods, options=options)
    key = methods.partition(":")[0]
    curate(text, tmp_path / "run")
    before = [bool(row[key]["spans"]) for shard in rows(tmp_path / "run") for row in shard]
    assert before == [False, True, True, True, True]
    again(tmp_path, text, "http://web-0.example/0")
    found = [row for shard in rows(tmp_path / "run") for row in shard]
    assert [row["drop_reason"] for row in found] == ["takedown", None, None, None, None]
    assert [bool(row[key]["spans"]) for row in found] == [False, False, False, False, True]
    assert found[0]["text"] is None
    assert manifest(tmp_path / "run").merged("dropped") == {"takedown": 1}


@pytest.mark.parametrize(
    "methods", ["exact: {}", "minhash: {}", "simhash: {}", "exact: {}, bloom: {expected_items: 9}"]
)
def test_links(methods: str, tmp_path: Path) -> None:
    shards = [[lines(1, 2), lines(3, 4), lines(1, 2)], [lines(3, 4), lines(5, 6), lines(1, 2)]]
    write_shards(tmp_path / "given", shards)
    text = recipe(tmp_path / "given", methods)
    key = methods.partition(":")[0]
    curate(text, tmp_path / "run")
    again(tmp_path, text, "http://web-1.example/2")
    found = [row for shard in rows(tmp_path / "run") for row in shard]
    assert [row["drop_reason"] for row in found] == ["takedown", None, "takedown", COPY % key, None, "takedown"]
    assert found[3][key]["duplicate_of"] == 1
    assert [row[key]["duplicate_of"] for row in found if row["drop_reason"] == "takedown"] == [None] * 3


def test_a_shard_of_which_nothing_is_left(tmp_path: Path) -> None:
    write_shards(tmp_path / "given", [[lines(1)], [lines(2)]])
    text = recipe(tmp_path / "given", "minhash: {}")
    curate(text, tmp_path / "run")
    again(tmp_path, text, "http://web-0.example/0", "http://web-1.example/0")
    assert [row["drop_reason"] for shard in rows(tmp_path / "run") for row in shard] == ["takedown"] * 2


def test_vectors_are_gone_from_the_keys_and_others_stay(tmp_path: Path) -> None:
    (tmp_path / "words.vec").write_text("cat 1 0\nkitten 0.98 0.05\nrock 0 1\n")
    np.save(tmp_path / "c.npy", np.eye(2, dtype=np.float32))
    semantic = f'semantic: {{model: "{tmp_path}/words.vec", centroids: "{tmp_path}/c.npy"}}, exact: {{}}'
    write_shards(tmp_path / "given", [["the cat", "rock", "cat!"]])
    write_shards(tmp_path / "new", [["kitten", "rock"]])
    curate(recipe(tmp_path / "given", semantic), tmp_path / "run")
    first = rows(tmp_path / "run")[0][0]  # by its id: the later run has another text at its URL
    (tmp_path / "ids.txt").write_text(first["doc_id"])
    found = take_down(str(tmp_path / "run"), read_request(str(tmp_path / "ids.txt"), "doc_id"))
    assert found.plan.copies == 1
    with pa.ipc.open_file(stage_folder(tmp_path / "run") / "_keys" / "keys-00000.arrow") as file:
        table = file.read_all()
    assert set(table["doc"].to_pylist()) == {1}
    assert [one for one in table["vector"].to_pylist() if one] == [[0.0, 1.0]]
    curate(recipe(tmp_path / "new", semantic, options=f"against: [{tmp_path}/run]"), tmp_path / "later")
    assert [row["drop_reason"] for row in rows(tmp_path / "later")[0]] == [None, COPY % "semantic"]
