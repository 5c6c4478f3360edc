"""Ray's workers import winnow's packages where the folder of the script has others of their names."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from ray import cloudpickle

from curation.engine.executor.worker_imports import import_winnow, own_packages

ROOT = Path(__file__).resolve().parents[4]

SCRIPT = """
import winnow

@winnow.filter(max_value=0.2)
def question_share(text: str) -> float:
    return text.count("?") / max(len(text.split()), 1)

if __name__ == "__main__":
    run = winnow.curate([question_share, winnow.dedup.Exact()], ["is? it?", "fine and well"], "run", cpus=1)
    print(run)
    print(run.funnel().stages[1].dropped)
"""


def test_options_only_where_a_stranger_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", str(ROOT), "/" + 300 * "x"])  # the last of which no system call can look at
    with own_packages() as options:
        assert options == {}
    (tmp_path / "cluster.py").touch()
    with own_packages() as options:
        assert options == {"runtime_env": {"worker_process_setup_hook": import_winnow}}
        sent = cloudpickle.dumps(import_winnow)
    assert b"_make_function" in sent, "the function itself is sent: a worker cannot import it by name yet"


def test_a_run_beside_strangers(tmp_path: Path) -> None:
    for name in ("cluster", "curation", "training", "pipelines"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError('the stranger')\n")
    (tmp_path / "script.py").write_text(SCRIPT)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "RAY_USAGE_STATS_ENABLED": "0"}
    command = [sys.executable, "script.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [
        "Run run: 3 stages, 2 documents read, 1 kept",
        "{'question_share.value:high': 1}",
    ], done.stderr
