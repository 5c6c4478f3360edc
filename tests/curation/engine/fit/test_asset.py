"""The files of an asset: each with its checksum, the main one named."""

import hashlib
from pathlib import Path

import pytest

from curation.engine.fit.asset import sealed
from tests.curation.engine.fit.toys import Plain


def test_one_file_and_several(tmp_path: Path) -> None:
    one = sealed(0, str(tmp_path), Plain(), {"plain.txt": b"a"}, {"by": ""})
    sha256 = hashlib.sha256(b"a").hexdigest()
    assert one.extra["asset"] == {"file": "plain.txt", "sha256": sha256, "sample": {"by": ""}}
    (tmp_path / "more").mkdir()
    several = sealed(0, str(tmp_path / "more"), Plain(), {"plain.txt": b"a", "b": b"bb"}, {})
    assert several.extra["asset"]["files"] == {"b": hashlib.sha256(b"bb").hexdigest(), "plain.txt": sha256}
    assert {name: entry["bytes"] for name, entry in several.extra["files"].items()} == {"b": 2, "plain.txt": 1}
    assert (tmp_path / "more" / "b").read_bytes() == b"bb"


def test_a_second_attempt_finds_its_files(tmp_path: Path) -> None:
    first, second = (sealed(0, str(tmp_path), Plain(), {"plain.txt": b"a"}, {}) for _ in range(2))
    assert first == second


def test_a_fit_without_its_main_file(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"Plain gives no plain\.txt, only other"):
        sealed(0, str(tmp_path), Plain(), {"other": b""}, {})
