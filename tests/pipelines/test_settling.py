"""What other runs took down, in the files of a run; tests/end_to_end/test_takedown_months.py has whole months."""

import json
from pathlib import Path
from typing import Any

import pytest

from curation.core.errors import InputError
from curation.core.manifest import RUN, read_run
from curation.core.progress import Progress
from pipelines import api
from pipelines.settling import finish_cut_off, settle


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    """Two runs of the same pages, of which the first has lost one."""
    pages = [{"url": f"https://example.org/{number}", "text": f"Text number {number}."} for number in range(3)]
    (tmp_path / "pages.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))
    (tmp_path / "urls.txt").write_text("https://example.org/1\n")
    read: list[dict[str, Any]] = [{"read": {"jsonl": {"paths": [f"{tmp_path}/pages.jsonl"], "url": "url"}}}]
    folders = []
    for name, more in (("m1", {}), ("m2", {"removed": str(tmp_path / "urls.txt")})):
        folders.append(f"{tmp_path}/{name}")
        what = {"version": 1, "name": name, "sources": {"web": [*read, {"dedup": {"exact": {}}}]}, **more}
        api.curate(what, folders[-1], executor=api.Inline())
    return folders


def told(folder: str) -> list[str]:
    notes: list[Progress] = []
    settle(folder, notes.append)
    return [note.note for note in notes]


def test_once_it_is_settled_nothing_is_done(runs: list[str]) -> None:
    for folder in runs:
        assert (read_run(folder).unsettled, told(folder)) == ("", [])
        finish_cut_off(folder)
    finish_cut_off(runs[0] + "/nowhere")


def test_what_a_run_had_before_is_erased_and_told(runs: list[str], tmp_path: Path) -> None:
    path = Path(runs[0]) / RUN
    record = json.loads(path.read_text())
    record["removals"] = json.loads((Path(runs[1]) / RUN).read_text())["removals"]
    path.write_text(json.dumps({**record, "unsettled": "all"}))
    assert told(runs[0]) == [
        f"erased from 2 stages, because taken down in {tmp_path}/urls.txt or a copy of that: 1 document"
    ]
    assert told(runs[0]) == []


def test_what_is_erased_is_in_the_log_too(runs: list[str], caplog: pytest.LogCaptureFixture) -> None:
    path = Path(runs[0]) / RUN
    record = json.loads(path.read_text())
    record["removals"] = json.loads((Path(runs[1]) / RUN).read_text())["removals"]
    path.write_text(json.dumps({**record, "unsettled": "all"}))
    notes = told(runs[0])
    assert [log.getMessage() for log in caplog.records if "erased" in log.getMessage()] == [f"takedowns: {notes[0]}"]


def test_from_another_run(runs: list[str], tmp_path: Path) -> None:
    api.takedown(runs[0], urls=tmp_path / "urls.txt")
    assert api.plan_takedown(runs[1], other=runs[0]).plan.documents
    with pytest.raises(InputError, match=r"m1 has none of the documents that were taken down in .*m2"):
        api.takedown(runs[0], other=_without(runs[1]))


def _without(folder: str) -> str:
    """The run, as if it had taken nothing down."""
    path = Path(folder) / RUN
    path.write_text(json.dumps({**json.loads(path.read_text()), "removals": []}))
    return folder
