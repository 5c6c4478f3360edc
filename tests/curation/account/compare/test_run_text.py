"""The text that runs and files give: names, samples, the training side of a split, and mistakes."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from curation.account.compare.run_text import named, read
from curation.core.errors import InputError, UserError
from curation.core.manifest import RUN
from curation.text.kernels.hashing import hash64
from tests.curation.account.compare.texts import style, write
from tests.curation.account.corpus import curate, rows


def test_paths_are_named_by_their_ends_or_as_they_say(tmp_path: Path) -> None:
    odd = write(tmp_path / "a=b.jsonl", ["text"])
    assert named(["runs/one", "runs/two/", "third=runs/x=y", odd, "runs/a=b"]) == {
        "one": "runs/one",
        "two": "runs/two/",
        "third": "runs/x=y",
        "a=b.jsonl": odd,
        "a=b": "runs/a=b",
    }


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        pytest.param(["runs/one"], "give two runs or more", id="one"),
        pytest.param(["a/run", "b/run"], "two of the runs have the name 'run'", id="one name"),
        pytest.param(["=a", "b"], "or none; give names", id="no name"),
    ],
)
def test_what_cannot_be_named(runs: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        named(runs)


def test_a_run_gives_the_training_side_of_what_it_kept(corpus: Path) -> None:
    run = curate(corpus)
    table = rows(run, "tokenize")
    expected = [
        text
        for text, split, reason in zip(
            *(table[name].to_pylist() for name in ("text", "split", "drop_reason")), strict=True
        )
        if reason is None and split == "train"
    ]
    assert 0 < len(expected) < len(table)
    found = read("mine", run.folder, 1 << 30)
    assert found.texts.to_pylist() == expected
    assert found.bytes == sum(len(text.encode()) for text in expected)


def test_a_file_gives_its_documents_with_text(tmp_path: Path) -> None:
    path = write(tmp_path / "own.jsonl", ["one", None, " \n", "two"], doc_id=["a", "b", "c", "d"])
    found = read("own", path, 1 << 20)
    assert found.texts.to_pylist() == ["one", "two"]
    assert found.keys.tolist() == hash64(pa.array(["a", "d"], pa.large_string())).tolist()
    blank = write(tmp_path / "blank.jsonl", [" "])
    with pytest.raises(InputError, match=r"blank.jsonl has no document with text$"):
        read("own", blank, 1 << 20)


def test_of_a_large_file_those_with_the_smallest_hashes_are_read(tmp_path: Path) -> None:
    texts = style(1, 2000)
    path = write(tmp_path / "own.jsonl", texts, doc_id=[str(number) for number in range(2000)])
    size = sum(map(len, texts))
    found = read("own", path, size // 10)
    assert size // 20 < found.bytes < size // 4
    hashes = np.sort(hash64(pa.array([str(number) for number in range(2000)], pa.large_string())))
    assert np.sort(found.keys).tolist() == hashes[: len(found.keys)].tolist()


def test_a_run_that_is_not_finished_is_refused(corpus: Path, tmp_path: Path) -> None:
    record = json.loads((Path(curate(corpus).folder) / RUN).read_text())
    (tmp_path / RUN).write_text(json.dumps({**record, "complete": False}))
    with pytest.raises(InputError, match=r"is not finished; .* winnow status"):
        read("mine", str(tmp_path), 1 << 20)
