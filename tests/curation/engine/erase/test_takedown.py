"""One stage's takedown: its audit record, and the commits beside the manifest. See also end_to_end."""

from pathlib import Path

import numpy as np

from curation.account.run import Run
from curation.core.manifest import FORMAT, TAKEN_DOWN, read_manifest
from curation.core.new_file import checksum_of
from curation.engine.erase.takedown import erase
from curation.engine.erase.takedown_record import begin
from tests import takedowns as runs
from tests.commits import commits_of


def test_a_filter_stage(taken_run: Path) -> None:
    folder = runs.stage_folder(taken_run, "news-gopher_quality")
    path = folder / "part-00000.parquet"
    old = checksum_of(str(path))
    started = begin(str(taken_run), [runs.doc_id_of(taken_run, "http://news-0.example/2")], (), {"when": "2026-11-21"})
    entry = erase(str(folder), {0: np.array([2])}, started)
    assert entry == {
        "takedown": 0,
        "when": "2026-11-21",
        "documents": 1,
        "rows": 1,
        "files": {"part-00000.parquet": {"before": old, "after": checksum_of(str(path))}},
    }
    manifest = read_manifest(str(folder))
    assert manifest is not None
    assert (manifest.format, manifest.audit) == (FORMAT, (entry,))
    assert manifest.parts[0].file_bytes == path.stat().st_size
    assert tuple(commits_of(folder).values()) == manifest.commits
    assert not (folder / TAKEN_DOWN).exists()
    content = path.read_bytes()
    assert erase(str(folder), {0: np.array([2])}, started) == entry
    assert path.read_bytes() == content


def test_stages_without_documents_are_passed_over(taken_run: Path) -> None:
    started = begin(str(taken_run), ["0" * 32], (), {"when": ""})
    for stage in Run.open_with_earlier(taken_run).stages:
        if stage.manifest.verb.learns or stage.manifest.verb.mixes:
            assert erase(stage.folder, {0: np.array([0])}, started) is None
