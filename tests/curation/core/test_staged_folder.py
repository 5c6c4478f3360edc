"""A model folder in an object store is copied to this machine's disk once, and again when it has changed."""

import tempfile
from pathlib import Path

import pytest

from curation.core.staged_folder import staged
from tests.object_store import Store, client
from tests.object_store import server as server
from tests.object_store import store as store


def test_a_folder_in_a_store_is_copied_once(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name in ("config.json", "model.safetensors", "pytorch_model.bin"):
        client(store).put_object(Bucket="bucket", Key=f"model/{name}", Body=name.encode())
    first = staged("s3://bucket/model")
    assert {path.name: path.read_text() for path in first.iterdir()} == {
        "config.json": "config.json",
        "model.safetensors": "model.safetensors",
    }
    asked = store.requests["GET"]
    assert staged("s3://bucket/model/") == first
    assert store.requests["GET"] - asked <= 2  # listings
    client(store).put_object(Bucket="bucket", Key="model/config.json", Body=b"another")
    assert (staged("s3://bucket/model") / "config.json").read_text() == "another"


def test_a_folder_on_a_disk_is_read_where_it_is(tmp_path: Path) -> None:
    assert staged(str(tmp_path)) == tmp_path
