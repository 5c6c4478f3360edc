"""The step that learns: what it is shown, and what it says of that."""

import hashlib
from pathlib import Path

import pytest

from curation.core.errors import StageError
from curation.engine.executor.work import Unit
from curation.engine.fit.draw import Chooser, DrawStep
from curation.engine.fit.groups import SampleGroups
from curation.engine.fit.learn import LearnStep, record, sealed
from curation.engine.fit.portions import Reader, portions_of
from tests.curation.engine.fit.toys import KEPT, Listed, Plain
from tests.curation.engine.inputs import numbered_shards


def learn_step(folder: Path) -> LearnStep:
    """After its documents were drawn."""
    (folder / "_drawn").mkdir()
    reader = Reader.of(Plain())
    units = [Unit(number, portion) for number, portion in enumerate(portions_of(numbered_shards(folder)))]
    draw = DrawStep(str(folder), "_drawn", Chooser(reader, ("all text",), (1.0,)), (1e9,), ranked=False)
    ((documents, size, _),) = [commit.extra["groups"][0] for commit in map(draw.run, units)]
    groups = SampleGroups({"all text": documents}, {"all text": size}, {"all text": 1e9})
    return LearnStep(Plain(), str(folder), "_drawn", (0,), reader, groups, ((documents, size),))


def test_it_learns_from_what_was_drawn(tmp_path: Path) -> None:
    commit = learn_step(tmp_path).run(Unit(0, None))
    assert [int(line) for line in (tmp_path / "plain.txt").read_text().split()] == KEPT
    (group,) = commit.extra["asset"]["sample"]["groups"]
    assert (group["documents"], group["target_bytes"]) == (len(KEPT), 10**9)


def test_a_drawn_file_that_is_damaged_is_named(tmp_path: Path) -> None:
    step = learn_step(tmp_path)
    path = tmp_path / "_drawn" / "documents-00000.arrow"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(StageError, match=r"documents-00000\.arrow"):
        step.run(Unit(0, None))


def test_the_record_has_each_group_with_its_figures() -> None:
    groups = SampleGroups({"a": 3, "b": 1}, {"a": 30, "b": 10}, {"a": 5.4, "b": 0.0})
    entry = record(Reader.of(Listed(sample_by="source")), groups, {"a": (1, 6), "b": (0, 0)}, {"a": {"held_out": 2}})
    a = {"group": "a", "available_bytes": 30, "target_bytes": 5, "documents": 1, "sample_bytes": 6, "held_out": 2}
    b = {"group": "b", "available_bytes": 10, "target_bytes": 0, "documents": 0, "sample_bytes": 0}
    assert entry == {"by": "source", "groups": [a, b]}


def test_one_file_and_several(tmp_path: Path) -> None:
    one = sealed(0, str(tmp_path), Plain(), {"plain.txt": b"a"}, {"by": ""})
    sha256 = hashlib.sha256(b"a").hexdigest()
    assert one.extra["asset"] == {"file": "plain.txt", "sha256": sha256, "sample": {"by": ""}}
    (tmp_path / "more").mkdir()
    several = sealed(0, str(tmp_path / "more"), Plain(), {"plain.txt": b"a", "b": b"bb"}, {})
    assert several.extra["asset"]["files"] == {"b": hashlib.sha256(b"bb").hexdigest(), "plain.txt": sha256}
    assert {name: entry["bytes"] for name, entry in several.extra["files"].items()} == {"b": 2, "plain.txt": 1}
    assert (tmp_path / "more" / "b").read_bytes() == b"bb"
