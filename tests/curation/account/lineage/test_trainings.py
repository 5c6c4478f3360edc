"""What a training run's folder says of it, and which of a run's neighbours are trainings on its data."""

import json
import shutil
from pathlib import Path

import pytest

from curation.account.lineage.trainings import open_training, positions, trainings_on
from curation.core.errors import InputError
from curation.tokens.shards import TokenData
from tests import takedowns as runs


def test_a_folder_as_training_leaves_it(taken_run: Path) -> None:
    path = runs.write_training(taken_run.parent / "t", taken_run, steps=9, done=7, checkpoints=(3, 6))
    (path / "checkpoints" / "step_7").mkdir()  # not whole
    with (path / "metrics.jsonl").open("a") as file:
        file.write('{"kind": "step", "st')
    found = open_training(str(path))
    assert (found.data, found.rows.rows, found.steps, found.done) == (str(taken_run), 2, 9, 7)
    assert (found.checkpoints, found.seen_tokens(0)) == ((3, 6), 49)


@pytest.mark.parametrize(
    "content",
    ["", "{}", "[]", '{"config": {"layers": 2}}', '{"config": 3}', '{"config": {"steps": 2, "batch_rows": 2}}'],
)
def test_no_training_run(tmp_path: Path, content: str) -> None:
    (tmp_path / "config.json").write_text(content)
    with pytest.raises(InputError, match=r"is not a training run|config\.json is damaged: "):
        open_training(str(tmp_path))
    with pytest.raises(InputError, match="is not a training run"):
        open_training(str(tmp_path / "none"))


def test_neighbours(taken_run: Path, tmp_path: Path) -> None:
    home = taken_run.parent
    (mix,) = taken_run.glob("*-mix-*")
    runs.write_training(home / "by-mix", mix, steps=2)
    runs.write_training(home / "by-run", taken_run, steps=2)
    runs.write_training(home / "other", home / "run-2", steps=2)
    (home / "model").mkdir()
    (home / "model" / "config.json").write_text('{"architectures": []}')
    far = runs.write_training(tmp_path / "far", taken_run, steps=2, done=1)
    names = [Path(one.folder).name for one in trainings_on(str(taken_run))]
    assert names == ["by-mix", "by-run"]
    more = trainings_on(str(taken_run), [str(far), str(home / "by-run")])
    assert [Path(one.folder).name for one in more] == ["far", "by-run", "by-mix"]
    assert more[0].data == str(taken_run)
    with pytest.raises(InputError, match="is not a training run"):
        trainings_on(str(taken_run), [str(tmp_path)])


def test_steps_that_see_a_row(taken_run: Path) -> None:
    data = TokenData.open(str(taken_run))
    pack, _, part = data.locate(0, batch_rows=data.rows)[7][0].rpartition("/")
    row = data.locate(0, batch_rows=data.rows)[7][1]
    found = open_training(str(runs.write_training(taken_run.parent / "t", taken_run, steps=data.rows // 2)))
    folder = str(taken_run / pack)
    assert positions(data, folder, part, row) == [7]
    assert found.steps_of(folder, part, [(row, 0)]) == [3], "two rows a step"
    assert found.steps_of(folder, part, [(row, 48)]) == [3], "the last token is a label"
    assert found.steps_of(folder, part, []) == []
    assert positions(data, folder, "validation-00000", row) == []
    assert positions(data, str(taken_run / "no-pack"), part, row) == []
    short = runs.write_training(taken_run.parent / "s", taken_run, steps=3, sequence_length=16)
    assert open_training(str(short)).steps_of(folder, part, [(row, 0)]) == [], "it ends before step 3"
    longer = runs.write_training(taken_run.parent / "l", taken_run, steps=4, sequence_length=16)
    assert open_training(str(longer)).steps_of(folder, part, [(row, 16)]) == [3]
    assert open_training(str(longer)).steps_of(folder, part, [(row, 17)]) == [], "cut off"


def test_a_run_that_was_curated_again_after_the_training(taken_run: Path, sources: Path) -> None:
    first = TokenData.open(str(taken_run))
    training = runs.write_training(taken_run.parent / "t", taken_run, steps=2)
    (old,) = taken_run.glob("*-mix-*")
    runs.curate(sources, taken_run, words=60)
    assert TokenData.open(str(taken_run)).fingerprint() != first.fingerprint()
    again = open_training(str(training)).tokens
    assert again.locate(1, batch_rows=2) == first.locate(1, batch_rows=2)
    assert again.fingerprint() == first.fingerprint()
    shutil.rmtree(old)
    with pytest.raises(InputError, match=r"run has no mix with the rows that .*t read, in that order"):
        assert open_training(str(training)).tokens


def test_a_run_that_was_moved(taken_run: Path, sources: Path, tmp_path: Path) -> None:
    home = taken_run.parent
    runs.write_training(home / "t", taken_run, steps=2)
    far = runs.write_training(tmp_path / "far", taken_run, steps=2)
    moved = taken_run.rename(home / "moved")
    runs.curate(sources, home / "more", words=60)
    assert [Path(one.folder).name for one in trainings_on(str(moved))] == ["t"], "by its fingerprint"
    assert trainings_on(str(home / "more")) == []
    named = trainings_on(str(moved), [str(far)])
    assert [(Path(one.folder).name, one.data) for one in named] == [("far", str(moved)), ("t", str(moved))]


def test_the_parent_of_a_branch_follows_it(taken_run: Path, tmp_path: Path) -> None:
    parent = runs.write_training(tmp_path / "parent", taken_run, steps=4)
    branch = runs.write_training(tmp_path / "branch", taken_run, steps=6)
    config = json.loads((branch / "config.json").read_text())
    segments = [{"run": str(parent), "end": 2, "sequence_length": 16}]
    (branch / "config.json").write_text(json.dumps({**config, "parent": {"segments": segments}}))
    named = trainings_on(str(taken_run), [str(branch)])
    assert [Path(one.folder).name for one in named] == ["branch", "parent"]
    shutil.rmtree(parent)
    assert [Path(one.folder).name for one in trainings_on(str(taken_run), [str(branch)])] == ["branch"]


def test_the_same_run_by_another_path(taken_run: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(taken_run.parent)
    path = runs.write_training(tmp_path / "t", tmp_path / "link" / ".." / "link" / "run", steps=4)
    found = open_training(str(path))
    assert found.data == str(taken_run)
    assert [one.folder for one in trainings_on(str(tmp_path / "link" / "run"), [str(path)])] == [str(path)]
    place, row = found.tokens.locate(3, batch_rows=2)[1]
    pack, _, part = place.rpartition("/")
    assert found.steps_of(str(taken_run / pack), part, [(row, 0)]) == [3]


def test_a_mix_of_another_run_that_takes_rows_from_this_one(taken_run: Path) -> None:
    (mix,) = taken_run.glob("*-mix-*")
    other = taken_run.parent / "other"
    folder = other / mix.name
    folder.mkdir(parents=True)
    index = json.loads((mix / "index.json").read_text())
    index["packs"] = [str(taken_run / pack) for pack in index["packs"]]
    (folder / "index.json").write_text(json.dumps(index))
    (folder / "_manifest.json").write_text(json.dumps({"mix": index}))
    runs.write_training(taken_run.parent / "t", folder, steps=2)
    assert [Path(one.folder).name for one in trainings_on(str(taken_run))] == ["t"]
    assert trainings_on(str(other))[0].folder.endswith("/t")
