"""A run and a training whose every byte lies in an object store that loses, delays and falsifies answers."""

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.crawl import make_archives
from tests.object_store import Store, client, content, object_store
from tests.runs import COMMAND, ENVIRONMENT, RECIPE

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
# Of 826 requests of this run without faults, November 2026.
REQUESTS = 1200
TRAINING_REQUESTS = 600
TRAIN = """
model: {decoder: {layers: 2, width: 32, heads: 4, kv_heads: 2}}
steps: 8
batch_rows: 4
checkpoint_every: 3
validate_every: 4
log_every: 1
schedule: {cosine: {warmup_steps: 2}}
"""


class Place:
    """A folder in which commands run, and the store that they reach."""

    def __init__(self, folder: Path, store: Store) -> None:
        self.folder = folder
        self.store = store

    def winnow(self, *arguments: str, code: int = 0) -> str:
        environment = {**ENVIRONMENT, **self.store.environment(), "PYTHONPATH": str(ROOT)}
        command = [*COMMAND, *arguments]
        ended = subprocess.run(
            command, capture_output=True, text=True, env=environment, cwd=self.folder, timeout=500, check=False
        )
        assert ended.returncode == code, ended.stderr
        return ended.stdout + ended.stderr


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """The same recipe run into a local folder, and into the store under faults."""
    folder = tmp_path_factory.mktemp("place")
    make_archives(folder / "crawl", archives=3, pages=40)
    recipe = RECIPE.replace("dedup: {exact: {}}", "dedup: {exact: {}, minhash: {}}") % "s3://bucket/crawl"
    (folder / "small.yaml").write_text(recipe)
    (folder / "train.yaml").write_text(TRAIN)
    with object_store("bucket") as store:
        for file in sorted((folder / "crawl").iterdir()):
            client(store).upload_file(str(file), "bucket", f"crawl/{file.name}")
        place = Place(folder, store)
        place.winnow("curate", "small.yaml", "--output", "local")
        store.seed = 1
        store.requests.clear()
        place.winnow("curate", "small.yaml", "--output", "s3://bucket/run")
        yield place


def made(files: dict[str, bytes]) -> dict[str, bytes]:
    """What must not differ: part files, token shards, assets and mixes; manifests and commits hold times."""
    kept = (".parquet", ".bin", ".idx", ".npy", "tokenizer.json")
    return {name: content for name, content in files.items() if name.endswith(kept) and "/_" not in name}


def test_a_run_under_faults_has_the_bytes_of_a_local_one(
    place: Place, record_property: Callable[[str, object], None]
) -> None:
    local = place.folder / "local"
    files = {str(path.relative_to(local)): path.read_bytes() for path in local.rglob("*") if path.is_file()}
    assert len(made(files)) > 15
    assert made(content(place.store, "run/")) == made(files)
    faults = ", ".join(f"{count} {fault}" for fault, count in sorted(place.store.faults.items()))
    record_property(
        "fault", f"an object store: {faults} | requests are made again | nothing | in the seconds of the run"
    )
    assert len(place.store.faults) >= 3  # which ones come is drawn anew with the order of requests
    assert sum(place.store.requests.values()) < REQUESTS
    assert "8 of 8 stages sealed" in place.winnow("status", "s3://bucket/run")


def test_the_account_reads_the_store(place: Place) -> None:
    assert "packed tokens" in place.winnow("funnel", "s3://bucket/run")
    assert "1 row" in place.winnow("show", "s3://bucket/run", "gopher", "--limit", "1")
    assert "whole: sizes, checksums" in place.winnow("verify", "s3://bucket/run", "--deep")
    assert "90" in place.winnow("sql", "s3://bucket/run", "select count(*) from tokenize")
    assert "tokens-00000" in place.winnow("why", "s3://bucket/run", "--url", "http://town.example/0-0")
    assert "s3://bucket/run/card.md" in place.winnow("card", "s3://bucket/run")
    place.winnow("export", "s3://bucket/run", "--format", "megatron", "--output", "exported")
    assert {path.suffix for path in (place.folder / "exported").rglob("web*")} >= {".bin", ".idx"}


@pytest.mark.soak
def test_a_training_in_the_store_has_the_losses_of_a_local_one(place: Place) -> None:
    def train(data: str, output: str) -> dict[str, Any]:
        command = ("train", "train.yaml", "--data", data, "--output", output, "--workers", "2", "--json")
        printed = place.winnow(*command)
        return {**json.loads(printed[printed.index("{") : printed.rindex("}") + 1]), "data": ""}

    place.store.requests.clear()
    local = train("local", "model")
    assert not place.store.requests
    assert train("s3://bucket/run", "s3://bucket/model") == local
    print(place.store.requests, place.store.faults)
    assert sum(place.store.requests.values()) < TRAINING_REQUESTS
    names = {re.sub(r"\d{8}$|/.*", "", name) for name in content(place.store, "model/")}
    assert names == {".lease-", "checkpoints", "config.json", "energy.json", "metrics.jsonl", "result.json"}
    assert not (place.folder / "s3:").exists()


@pytest.mark.soak
def test_a_takedown_in_the_store(place: Place) -> None:
    (place.folder / "urls.txt").write_text("http://town.example/0-0\n")
    place.winnow("takedown", "s3://bucket/run", "--urls", "urls.txt")
    assert "are padding now" in place.winnow("why", "s3://bucket/run", "--url", "http://town.example/0-0")
    assert "whole: sizes, checksums" in place.winnow("verify", "s3://bucket/run", "--deep")


@pytest.mark.parametrize("code", [b"AccessDenied", b"ExpiredToken", b"InvalidAccessKeyId"])
def test_a_store_that_refuses_is_one_line_before_work(place: Place, code: bytes) -> None:
    place.store.refuse = code
    try:
        printed = place.winnow("curate", "small.yaml", "--output", "s3://bucket/new", code=2)
    finally:
        place.store.refuse = b""
    begins, refused = printed.strip().splitlines()
    assert begins == "reading the recipe small.yaml"
    assert "cannot list bucket/new: refused; check its permissions, and that the credentials" in refused


def test_a_bucket_that_is_not_there_is_one_line(place: Place) -> None:
    printed = place.winnow("curate", "small.yaml", "--output", "s3://nobody/new", code=2)
    *_, refused = printed.strip().splitlines()
    assert "cannot write to s3://nobody/new" in refused
    assert printed.count("error") == 1
