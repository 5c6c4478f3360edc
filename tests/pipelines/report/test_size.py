"""The report of a run of 100,000 shards, nearly all of them empty: at most 5 MB, made within 1 GB."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from curation.account.run import Run
from curation.core.commits import GROUP_UNITS, Commit, Part, group_path, write_group
from pipelines.report.report import write_report
from tests.peak_memory import peak_memory

SHARDS = 100_000


def spread(folder: Path, shards: int) -> None:
    """Spreads the shards of each stage of a run's documents evenly over so many, the others empty."""
    for stage in Run.open(folder).stages:
        if not stage.verb.documents:
            continue
        known = stage.manifest.commits
        step = shards // len(known)
        placed = {number * step: replace(commit, unit=number * step) for number, commit in enumerate(known)}
        source = known[0].parts[0].source
        units = [placed.get(n) or Commit(n, (Part(f"part-{n:05d}.parquet", source, 0, 0, 0),)) for n in range(shards)]
        groups = range(0, shards, GROUP_UNITS)
        for number, first in enumerate(groups):
            write_group(group_path(stage.folder, number), units[first : first + GROUP_UNITS])
        path = Path(stage.folder) / "_manifest.json"
        manifest = json.loads(path.read_text())
        manifest["shards"] |= {
            "units": shards,
            "groups": [min(GROUP_UNITS, shards - first) for first in groups],
        }
        path.write_text(json.dumps(manifest))


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_a_run_of_many_shards(finished_run: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(finished_run / "run", run)
    spread(run, SHARDS)
    peak, path = peak_memory(write_report, str(run))
    assert peak < 1000
    page = Path(path).read_text()
    assert len(page.encode()) <= 5_000_000
    assert "All documents are counted." in page  # few of its shards have any
