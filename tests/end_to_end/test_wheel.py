"""winnow as a wheel installs it: from another folder than the clone, with the newest libraries within its bounds."""

import json
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest

from tests.crawl import make_archives

WINNOW = Path(sys.executable).with_name("winnow")


def from_wheel() -> bool:
    """Whether this environment's winnow is a copy, not a link to the clone, whose egg-info is found too."""
    origins = [found.read_text("direct_url.json") for found in distributions(name="winnow-corpus")]
    return any("archive_info" in json.loads(origin) for origin in origins if origin)


def answer(folder: Path, *words: str) -> str:
    done = subprocess.run([WINNOW, *words], cwd=folder, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(not from_wheel(), reason="winnow is not installed from a wheel; `make test-wheel` runs this")
def test_one_archive_is_curated_in_another_folder(tmp_path: Path) -> None:
    make_archives(tmp_path / "crawl", archives=1)
    answer(tmp_path, "curate", "gopher", "--input", "crawl/*.warc.gz", "--output", "run", "--cpus", "2")
    stages = {line["name"]: line for line in json.loads(answer(tmp_path, "funnel", "run", "--json"))["stages"]}
    assert stages["extract"]["rows"] == 40
    assert stages["tokenize"]["kept"] > 20
    assert list(stages)[-1] == "mix"
