"""Fetching into an object store: files appear complete, and a stopped call goes on from what this machine has."""

import json
import tempfile
from pathlib import Path

import pytest

from curation.core import storage
from curation.core.errors import UserError
from curation.sources.commoncrawl.fetch import fetch_files
from tests.crawl_server import Fault, crawl_server
from tests.curation.sources.commoncrawl.test_fetch import FILES, NAME, ONE, PATHS
from tests.object_store import Store, keys
from tests.object_store import server as server
from tests.object_store import store as store


def test_a_stopped_call_goes_on(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with crawl_server(FILES) as crawl:
        crawl.fault = lambda ask: Fault(cut=3000) if ask.number == 1 else Fault(403)
        with pytest.raises(UserError, match="is refused"):
            fetch_files(crawl.client(), [ONE], "s3://bucket/crawl")
        assert f"crawl/{NAME}" not in keys(store, "crawl")
        crawl.fault = lambda ask: None
        storage.write_bytes(f"s3://bucket/crawl/{NAME}", b"of a call that was killed before it wrote the record")
        assert fetch_files(crawl.client(), PATHS[:3], "s3://bucket/crawl").fetched == 3
        assert "bytes=3000-" in [ask.headers.get("Range") for ask in crawl.asks if ask.path == ONE]
        assert fetch_files(crawl.client(), PATHS[:3], "s3://bucket/crawl").there == 3
    assert storage.read_bytes(f"s3://bucket/crawl/{NAME}") == FILES[ONE]
    manifest = json.loads(storage.read_bytes("s3://bucket/crawl/_manifest.json"))
    assert [record["file"] for record in manifest["files"]] == [path.rpartition("/")[2] for path in PATHS[:3]]
    assert not list(tmp_path.glob("winnow-fetch-*/*/*"))
