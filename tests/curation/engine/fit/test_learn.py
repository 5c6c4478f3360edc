"""The step that learns: what it is shown, and what it says of that."""

import hashlib
from pathlib import Path

from curation.engine.fit.groups import SampleGroups
from curation.engine.fit.learn import record, sealed
from curation.engine.fit.portions import Reader
from tests.curation.engine.fit.toys import Listed, Plain


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
