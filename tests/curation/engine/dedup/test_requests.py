"""What an exchange asks of the store: ranges of groups, not a file per shard and bucket. And no number of buckets shows
in what is written."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pyarrow.fs as pafs
import pytest
from fsspec.implementations.local import LocalFileSystem

from curation.core import storage
from curation.core.stores import StoreHandler
from curation.engine.dedup import dedup_stage
from curation.engine.run import exchange, sent_files
from tests.commits import uncommit
from tests.curation.engine.dedup.runs import curate, manifest, recipe, set_buckets, stage_folder, write_shards
from tests.curation.engine.dedup.test_verify import shards
from tests.noting import Noting

SHARDS = 400
BUCKETS = 64
STEPS = {
    "IndexStep",
    "SortStep",
    "KeysStep",
    "GatherStep",
    "CollideStep",
    "FetchStep",
    "VerifyStep",
    "ElectStep",
    "AttachStep",
}


class Counting(LocalFileSystem):  # type: ignore[misc]
    """Local files at `counting://` as a store: `requests` by (step, folder of the file)."""

    executor: ClassVar[Noting]
    requests: ClassVar["Counter[tuple[str, str]]"] = Counter()
    inside = False

    def count(self, path: str) -> None:
        folder, _, name = path.rpartition("/")
        kind = "part" if name.startswith("part-") else folder.rpartition("/")[2]
        self.requests[self.executor.ran[-1][0] if self.executor.ran else "", kind] += 1


def _counted(name: str) -> Callable[..., Any]:
    def request(self: Counting, *args: Any, **options: Any) -> Any:
        if self.inside:  # of another request, where a store would make none
            return getattr(LocalFileSystem, name)(self, *args, **options)
        path = str(args[1] if name in ("put_file", "cp_file") else args[0])
        self.count(path + "/" if name in ("ls", "find") else path)
        self.inside = True
        try:
            return getattr(LocalFileSystem, name)(self, *args, **options)
        finally:
            self.inside = False

    return request


for _name in ("info", "ls", "find", "cat_file", "pipe_file", "put_file", "cp_file", "rm_file", "rm"):
    setattr(Counting, _name, _counted(_name))


@pytest.mark.soak
def test_requests_of_many_shards_and_buckets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [[f"text {shard // 2} that two shards have", f"one of {shard} alone"] for shard in range(SHARDS)]
    write_shards(tmp_path / "given", texts)
    set_buckets(monkeypatch, BUCKETS)
    monkeypatch.setattr(exchange, "GROUP_BYTES", 1 << 20)
    text = recipe(tmp_path / "given", "exact: {}, minhash: {hashes: 8, bands: 4, rows: 2}")
    store = Counting(auto_mkdir=True)
    noting = Noting()
    monkeypatch.setattr(Counting, "executor", noting, raising=False)
    monkeypatch.setattr(storage, "open_store", lambda scheme, user="": pafs.PyFileSystem(StoreHandler(store)))
    curate(text, f"counting://{tmp_path}/run", noting)
    figures = manifest(tmp_path / "run").dedup
    assert (figures["exchange"]["buckets"], figures["exchange"]["blocks"]) == (BUCKETS, 64)
    files = figures["exchange"]["key_files"]
    blocks = 64
    assert 1 < files < SHARDS / 16
    seen = store.requests
    assert seen["CollideStep", "_keys-gathered"] <= 2 * files * BUCKETS + 10
    assert seen["FetchStep", "_collided"] <= 2 * BUCKETS * blocks + 10
    assert seen["VerifyStep", "_fetched"] <= 2 * 2 * blocks * blocks + 10
    assert seen["AttachStep", "_elected"] <= 2 * blocks + 10
    ranges = {("CollideStep", "_keys-gathered"), ("FetchStep", "_collided"), ("VerifyStep", "_fetched")}
    for (step, folder), count in seen.items():
        if step in STEPS and folder != "part" and (step, folder) not in ranges:
            assert count <= 4 * SHARDS + 20, (step, folder, count)  # and the driver's own of a step
    (stage_folder(tmp_path / "run") / "_manifest.json").unlink()
    uncommit(stage_folder(tmp_path / "run"), [3])
    noting.ran.clear()
    monkeypatch.setattr(dedup_stage, "run_step", _stop_at(dedup_stage.run_step, "collide"))
    store.requests.clear()
    with pytest.raises(StoppedError):
        curate(text, f"counting://{tmp_path}/run", noting)
    resumed = sum(count for (_, folder), count in store.requests.items() if folder in ("_keys", "_keys-gathered"))
    assert resumed == 2 * 3, "of two steps: a listing each, and two for each 1,024 units: one opens a file, one reads"


class StoppedError(Exception):
    pass


def _stop_at(run_step: Callable[..., Any], name: str) -> Callable[..., Any]:
    def run(context: Any, watch: Any, step: str, *more: Any) -> Any:
        if step == name:
            raise StoppedError
        return run_step(context, watch, step, *more)

    return run


METHODS = ("exact: {}, minhash: {threshold: 0.8}, simhash: {}", "line: {}, substring: {min_bytes: 40}")


@pytest.mark.parametrize("methods", METHODS)
def test_no_number_of_buckets_shows(tmp_path: Path, methods: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stage's files are the same, and its address; also where what was sent is gathered first."""
    texts = [
        [f"{text}\nThis line stands at the foot of each of them, and is long." for text in one] for one in shards(9)
    ]
    write_shards(tmp_path / "given", texts)
    written = []
    for buckets, ranges in ((1, 8192), (4, 8192), (32, 0)):
        set_buckets(monkeypatch, buckets)
        monkeypatch.setattr(exchange, "RANGES", ranges)
        monkeypatch.setattr(sent_files, "FEW_SENDERS", 2 if buckets > 4 else 128)
        output = tmp_path / f"{buckets}"
        curate(recipe(tmp_path / "given", methods), output)
        folder = stage_folder(output)
        assert manifest(output).dedup["exchange"]["buckets"] == buckets
        written.append((folder.name, {path.name: path.read_bytes() for path in folder.glob("part-*.parquet")}))
        left = {path.name for path in folder.iterdir() if path.is_dir()}
        assert left == {"_commits", "_keys"} | ({"_keys-gathered"} if buckets > 4 else set())
        assert bool(list((folder / "_keys").glob("keys-*"))) == (buckets <= 4)
    assert len(written[0][1]) == 9
    assert written[1:] == written[:1] * 2


@pytest.mark.parametrize(("old", "new"), [(32, 2)])
def test_an_earlier_run_may_have_another_number(
    tmp_path: Path, old: int, new: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = shards(6)
    methods = "minhash: {threshold: 0.8}, exact: {}"
    write_shards(tmp_path / "old", given[:3])
    write_shards(tmp_path / "new", given[3:])
    found = []
    for number, (first, second) in enumerate(((1, 1), (old, new))):
        set_buckets(monkeypatch, first)
        monkeypatch.setattr(exchange, "RANGES", 0 if first > 16 else 8192)
        curate(recipe(tmp_path / "old", methods), tmp_path / f"first-{number}")
        set_buckets(monkeypatch, second)
        options = f"against: [{tmp_path}/first-{number}]"
        curate(recipe(tmp_path / "new", methods, options=options), tmp_path / f"second-{number}")
        folder = stage_folder(tmp_path / f"second-{number}")
        found.append({path.name: path.read_bytes() for path in folder.glob("part-*.parquet")})
    assert found[0] == found[1]
    assert len(found[0]) == 3
