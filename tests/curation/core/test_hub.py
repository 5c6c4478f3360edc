"""hf:// paths, against a Hub of this process: files are read, listed and uploaded, and no run is kept there."""

import gzip
import json
from pathlib import Path

import pytest

from curation.account.run import Run
from curation.account.texts.export import export_text
from curation.core import storage
from curation.core.errors import InputError, UserError
from curation.core.input_files import list_files
from curation.core.run_lock import only_run
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from tests.hub import Hub
from tests.hub import hub as hub

HOME = "hf://datasets/me/mine"
RECIPE = f"""
version: 1
name: from the hub
sources:
  notes:
    - read: {{jsonl: {{paths: ["{HOME}/data/*.jsonl.gz"]}}}}
"""


def test_files_are_read_listed_and_written(hub: Hub) -> None:
    hub.files = {"README.md": b"about", "data/a.bin": b"0123456789"}
    assert storage.read_bytes(f"{HOME}/data/a.bin") == b"0123456789"
    assert storage.size(f"{HOME}/data/a.bin") == 10
    assert not storage.exists(f"{HOME}/data/b.bin")
    assert storage.list_names(HOME) == ["README.md", "data"]
    assert [file.path for file in list_files(f"{HOME}/data/*.bin")] == [f"{HOME}/data/a.bin"]
    storage.write_bytes(f"{HOME}/data/c.txt", b"new")
    assert hub.files["data/c.txt"] == b"new"
    assert "Bearer hf_mine" in hub.tokens
    with pytest.raises(InputError, match="no file at hf://"):
        storage.read_bytes(f"{HOME}/none.txt")


def test_a_data_set_is_curated_and_its_text_uploaded(hub: Hub, tmp_path: Path) -> None:
    lines = "".join(json.dumps({"text": f"text {number}"}) + "\n" for number in range(5))
    hub.files = {".gitattributes": b"", "data/notes.jsonl.gz": gzip.compress(lines.encode())}
    runner.curate(parse(RECIPE, "r.yaml"), str(tmp_path / "run"), Inline())
    run = Run.open(tmp_path / "run")
    export_text(run, f"{HOME}/kept", form="jsonl", columns=["text"])
    assert hub.files["kept/part-00000.jsonl"].decode() == lines.replace(": ", ":")
    assert json.loads(hub.files["kept/_export"])["documents"] == 5
    with pytest.raises(UserError, match="hf://datasets/me/mine/kept exists already"):
        export_text(run, f"{HOME}/kept")


@pytest.mark.parametrize("place", [f"{HOME}/run", "https://example.org/run"])
def test_no_run_is_kept_there(hub: Hub, place: str) -> None:
    with pytest.raises(InputError, match=f"^no run can be kept at {place}; give a local folder, or one of s3://"):
        runner.curate(parse(RECIPE, "r.yaml"), place, Inline())
    with pytest.raises(InputError, match="no run can be kept"), only_run(place):
        raise AssertionError("it is held")
    assert hub.files == {}
