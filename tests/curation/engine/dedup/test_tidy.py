"""What a sealed dedup stage keeps: the keys once, and nothing that only its own steps read."""

from pathlib import Path

import pytest

from curation.core import storage
from curation.engine.run import exchange
from tests.commits import commits_of
from tests.curation.engine.dedup.runs import COPY, deduplicated, manifest, set_buckets, stage_folder


@pytest.mark.parametrize("gathered", [False, True])
def test_keys_are_kept_once(tmp_path: Path, gathered: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if gathered:
        monkeypatch.setattr(exchange, "RANGES", 0)
    set_buckets(monkeypatch, 4)
    found = deduplicated(tmp_path, [["a", "b"], ["b", "c"]], "exact: {}, minhash: {}")
    assert [row["drop_reason"] for row in found[1]] == [COPY % "exact", None]
    folder = stage_folder(tmp_path / "run")
    keys = {path.name for path in (folder / "_keys").glob("*.arrow") if not path.name.startswith("group-")}
    signatures = {"minhash-00000.arrow", "minhash-00001.arrow"}
    assert keys == signatures | (set() if gathered else {"keys-00000.arrow", "keys-00001.arrow"})
    assert (folder / "_keys-gathered" / "keys-00000.arrow").exists() == gathered
    assert manifest(tmp_path / "run").dedup["exchange"]["key_shards"] == (1024 if gathered else 1)
    for step in ("_keys", *(["_keys-gathered"] if gathered else [])):
        for commit in commits_of(folder, step).values():
            for name, facts in commit.extra["files"].items():
                assert facts["bytes"] == storage.size(str(folder / name)), "commits name what is there"
