"""What 100,000 shards cost the driver and the commands that read the run.

One document goes through three stages. Then a run of this many shards is made of links to its files, with the commits
and manifests that the engine would have written; its last stage lacks some units. Resuming is the driver of `winnow
curate`, including Ray's start and the missing units; `funnel` and `why` are whole commands; the payload is what is sent
to each task alone.
"""

import argparse
import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.case import Figures
from curation.account.run import Run
from curation.core.commits import COMMITS, GROUP_UNITS, Commit, group_path, write_group
from curation.core.manifest import MANIFEST, Manifest, read_manifest, write_json
from curation.core.shard_files import ShardFiles
from curation.core.shard_table import ShardTable
from curation.engine.driver.state import State
from curation.engine.executor.work import Unit
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import Recipe, parse
from curation.engine.run.part_files import part_name

LINKS = 50_000  # to one file: file systems allow some 65,000
TARGETS = {
    "resume_seconds": 60.0,
    "resume_peak_mb": 2_000.0,
    "funnel_seconds": 2.0,
    "why_seconds": 2.0,
    "payload_bytes": 10_000.0,
}
RECIPE = """
version: 1
name: many-shards
shards: {group_mb: 0}
sources:
  docs:
    - read: {jsonl: {paths: ["%s/*.jsonl"], url: url}}
    - filter: {gopher_quality: {min_words: 1, min_stop_words: 0}}
    - filter: {gopher_repetition: {}}
"""


def make_run(folder: Path, shards: int, missing: int) -> tuple[Path, Path]:
    """The recipe's file and the run, whose last stage lacks its last units."""
    document = json.dumps({"text": "A document of a few different words.", "url": "http://example.org/0"}) + "\n"
    for inputs, count in (("one", 1), ("many", shards)):
        (folder / inputs).mkdir()
        _link(document.encode(), [folder / inputs / f"{number:06d}.jsonl" for number in range(count)])
        (folder / f"{inputs}.yaml").write_text(RECIPE % (folder / inputs))
    command("curate", folder / "one.yaml", "--output", folder / "sample")
    path = folder / "many.yaml"
    sample = [Path(stage.folder) for stage in Run.open(folder / "sample").stages]
    _fabricate(parse(path.read_text(), str(path)), folder / "run", sample, shards, missing)
    return path, folder / "run"


def _fabricate(recipe: Recipe, run: Path, sample: list[Path], shards: int, missing: int) -> None:
    run.mkdir()
    state = State(recipe, str(run), build_plan(recipe))
    for node, sealed in zip(state.nodes, sample, strict=True):
        folder = Path(state.locate(node))
        (folder / COMMITS).mkdir(parents=True)
        last = node is state.nodes[-1]
        count = shards - missing if last else shards
        manifest = _sealed_manifest(sealed)
        _link((sealed / part_name(0)).read_bytes(), [folder / part_name(number) for number in range(count)])
        commits = list(_commits(manifest.commits[0], count))
        for group in range(-(-count // GROUP_UNITS)):
            write_group(group_path(str(folder), group), commits[group * GROUP_UNITS : (group + 1) * GROUP_UNITS])
        if (sealed / "_buckets").exists():
            shutil.copytree(sealed / "_buckets", folder / "_buckets")
        if not last:
            address = state.addresses[node.index]
            table = ShardTable.of(commits, str(folder))
            manifest = replace(manifest, address=address.digest, address_parts=address.parts, shards=table)
            write_json(str(folder / MANIFEST), manifest)
            state.manifests[node.index] = _sealed_manifest(folder)
    state.record()


def _sealed_manifest(folder: Path) -> Manifest:
    manifest = read_manifest(str(folder))
    assert manifest is not None, f"{folder} is not sealed"
    return manifest


def _commits(commit: Commit, count: int) -> Iterator[Commit]:
    (part,) = commit.parts
    return (replace(commit, unit=number, parts=(replace(part, file=part_name(number)),)) for number in range(count))


def _link(content: bytes, paths: list[Path]) -> None:
    """Files with the same content, most of them links."""
    for number, path in enumerate(paths):
        if number % LINKS == 0:
            path.write_bytes(content)
            first = path
        else:
            os.link(first, path)


def command(*arguments: str | Path) -> tuple[float, float]:
    """Seconds of a winnow command, and the peak of its own process in MB."""
    began = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "pipelines.cli", *map(str, arguments)], stdout=output, stderr=output
        )
        peak = 0.0
        while process.poll() is None:
            status = Path(f"/proc/{process.pid}/status")
            lines = [line for line in (status.read_text() if status.exists() else "").splitlines() if "VmHWM" in line]
            peak = max([peak, *(float(line.split()[1]) / 1000 for line in lines)])
            time.sleep(0.02)
        if process.returncode:
            output.seek(0)
            raise SystemExit(output.read().decode())
        return time.perf_counter() - began, peak


def measure(shards: int, missing: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        recipe, run = make_run(Path(folder), shards, missing)
        resume_seconds, resume_peak = command("curate", recipe, "--output", run)
        (last,) = run.glob("03-*")
        files = ShardFiles(str(last), _sealed_manifest(last)).files(shards - 1)
        return {
            "resume_seconds": resume_seconds,
            "resume_peak_mb": resume_peak,
            "funnel_seconds": command("funnel", run)[0],
            "why_seconds": command("why", run, "--url", "http://example.org/0")[0],
            "payload_bytes": len(pickle.dumps(Unit(shards - 1, files))),
        }


def run(options: argparse.Namespace) -> Iterator[Figures]:
    found = measure(options.shards, options.missing)
    rows = {name: {"measured": found[name], "limit": limit} for name, limit in TARGETS.items()}
    yield Figures(f"{options.shards:,} shards", rows)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--shards", type=int, default=100_000)
    parser.add_argument("--missing", type=int, default=100)
