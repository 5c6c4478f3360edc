"""Runs of one dedup stage over shards of JSON lines, without Ray."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from curation.core.manifest import Manifest, read_manifest
from curation.engine.dedup import dedup_stage, layout, rounds
from curation.engine.driver import runner
from curation.engine.executor.executor import Executor
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse

Rows = list[list[dict[str, Any]]]
RECIPE = """
version: 1
name: copies
shards: {group_mb: 0}
sources:
%(sources)s
joined:
  - dedup: {%(methods)s}
%(options)s
"""
SOURCE = """  %(name)s:
    - read: {jsonl: {paths: ["%(folder)s/%(name)s-*.jsonl"], url: url}}
"""
COPY = "dedup.%s:duplicate"


def write_shards(folder: Path, shards: Sequence[Sequence[str | Mapping[str, Any]]], name: str = "web") -> None:
    """One file per shard; a document is its text, or a mapping with `text` and more columns."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, documents in enumerate(shards):
        rows = [{"text": one} if isinstance(one, str) else dict(one) for one in documents]
        lines = [json.dumps({"url": f"http://{name}-{number}.example/{i}", **row}) for i, row in enumerate(rows)]
        (folder / f"{name}-{number:03d}.jsonl").write_text("".join(line + "\n" for line in lines))


def recipe(folder: Path, methods: str, *, sources: Sequence[str] = ("web",), options: str = "") -> str:
    chains = "".join(SOURCE % {"name": name, "folder": folder} for name in sources)
    beside = "".join(f"    {line}\n" for line in options.splitlines())
    return RECIPE % {"sources": chains, "methods": methods, "options": beside}


def curate(text: str, output: Path | str, executor: Executor | None = None) -> None:
    runner.curate(parse(text, "m.yaml"), str(output), executor or Inline())


def stage_folder(output: Path, name: str = "dedup") -> Path:
    (folder,) = output.glob(f"[0-9][0-9]-{name}-????????")
    return folder


def rows(output: Path, name: str = "dedup") -> Rows:
    """The stage's rows by shard."""
    return [pq.read_table(path).to_pylist() for path in sorted(stage_folder(output, name).glob("part-*.parquet"))]


def manifest(output: Path) -> Manifest:
    found = read_manifest(str(stage_folder(output)))
    assert found is not None
    return found


def set_buckets(monkeypatch: pytest.MonkeyPatch, buckets: int, parts: int = 1) -> None:
    """Every exchange has so many buckets, a power of two, and clusters by rounds so many parts, whatever they hold."""
    monkeypatch.setattr(dedup_stage, "buckets_for", lambda size, least=1: max(buckets, least))
    monkeypatch.setattr(rounds, "parts_for", lambda links: parts)
    monkeypatch.setattr(layout, "FEW_BLOCKS", buckets)


def deduplicated(folder: Path, shards: Sequence[Sequence[str | Mapping[str, Any]]], methods: str, **more: Any) -> Rows:
    """Rows by shard of a run over `shards`."""
    write_shards(folder / "given", shards)
    curate(recipe(folder / "given", methods, **more), folder / "run")
    return rows(folder / "run")
