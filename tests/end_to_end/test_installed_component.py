"""A filter of an installed package is used from a recipe by its key, as if it were winnow's own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from curation.core.manifest import read_run
from pipelines.report.report import write_report
from tests.runs import COMMAND

PROJECT = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "shouting"
version = "1.2"

[project.entry-points."winnow.components"]
no_shouting = "shouting.no_shouting:NoShouting"

[tool.setuptools]
packages = ["shouting"]
"""
FILTER = '''"""Drops documents that shout: those with too many exclamation marks."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.component import Signals
from curation.core.filter import Filter
from curation.core.limits import Limit


@dataclass(frozen=True, kw_only=True)
class NoShouting(Filter):
    max_marks: Annotated[int, "exclamation marks"] = 3

    reads: ClassVar[tuple[str, ...]] = ("text",)
    limits: ClassVar[tuple[Limit, ...]] = (Limit("marks", most="max_marks"),)
    version: ClassVar[int] = 1

    def signal_types(self) -> Signals:
        return {"marks": pa.int64()}

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        return {"marks": pc.count_substring(batch.column("text"), "!")}
'''
RECIPE = """
version: 1
sources:
  notes:
    - read: {jsonl: {paths: []}}
    - filter: {no_shouting: {max_marks: 1}}
"""


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A folder into which pip has installed the package."""
    source = tmp_path / "source"
    target = tmp_path / "packages"
    (source / "shouting").mkdir(parents=True)
    (source / "pyproject.toml").write_text(PROJECT)
    (source / "shouting" / "__init__.py").write_text("")
    (source / "shouting" / "no_shouting.py").write_text(FILTER)
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "--target", str(target), str(source)], check=True, capture_output=True)
    return target


@pytest.mark.slow
def test_an_installed_filter_is_used_by_its_key(tmp_path: Path, packages: Path) -> None:
    texts = ["Quiet.", "Loud!", "Louder!!"]
    (tmp_path / "notes.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    (tmp_path / "quiet.yaml").write_text(RECIPE)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(packages), str(Path.cwd())])}

    def winnow(*arguments: str) -> str:
        done = subprocess.run([*COMMAND, *arguments], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run = tmp_path / "run"
    inputs = ["--input", str(tmp_path / "notes.jsonl"), "--output", str(run), "--cpus", "1"]
    winnow("curate", str(tmp_path / "quiet.yaml"), *inputs)
    (entry,) = (stage for stage in read_run(str(run)).stages if stage.verb.judges)
    rows = pq.read_table(next((run / entry.folder).glob("*.parquet"))).to_pylist()
    assert [row["no_shouting"]["marks"] for row in rows] == [0, 1, 2]
    assert [row["drop_reason"] for row in rows] == [None, None, "no_shouting.marks:high"]
    manifest = json.loads((run / entry.folder / "_manifest.json").read_text())
    assert manifest["address_parts"]["packages"] == {"no_shouting": "shouting 1.2"}
    page = Path(write_report(str(run))).read_text().replace("<wbr>", "")  # here the package is not installed
    assert "<b>no_shouting.marks</b> · at most 1: 33.3 % beyond" in page
    assert "<summary>just outside no_shouting.marks" in page
    listed = winnow("list")
    assert "no_shouting" in listed
    assert "shouting 1.2" in listed
    assert "exclamation marks" in winnow("describe", "no_shouting")
