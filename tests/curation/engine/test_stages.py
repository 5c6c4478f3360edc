"""What each verb leaves in its folder, and that a step whose units do not commit is an error."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest

from curation.core.errors import StageError
from curation.core.manifest import Commit
from curation.engine import runner, stages
from curation.engine.address import Address
from curation.engine.execution import Unit
from curation.engine.plan import build_plan
from curation.engine.progress import Watch
from curation.engine.recipe import parse
from curation.engine.session import Session
from curation.engine.steps import commit, committed
from tests.curation.engine.inputs import write_sources


@dataclass(frozen=True)
class Writes:
    """Commits each unit, except `lazy`."""

    folder: str
    lazy: int = -1

    def read(self, unit: Unit) -> Iterator[pa.Table]:
        yield pa.table({"x": [unit.number]})

    def transform(self, unit: int, table: pa.Table) -> pa.Table:
        return table

    def write(self, unit: int, tables: Iterable[pa.Table]) -> None:
        if unit != self.lazy:
            commit(self.folder, Commit(unit, (), counts={"rows": sum(t.num_rows for t in tables)}), 0.0)


def context(folder: Path) -> stages.Context:
    node = build_plan(parse("version: 1\nsources:\n  a:\n    - read: {jsonl: {paths: [x]}}\n", "m"))[0]
    return stages.Context(node, str(folder), Address("0", {}), 1, (), (), {}, 1)


def step(folder: Path, work: Writes, units: int = 3) -> tuple[Commit, ...]:
    with Watch("a", str(folder), lambda _: None) as watch:
        return stages.run_step(context(folder), watch, "write", work, [Unit(n, None) for n in range(units)])


def test_a_step_runs_what_is_not_committed_and_gives_commits_in_unit_order(
    tmp_path: Path, ran: list[tuple[str, list[int]]]
) -> None:
    (tmp_path / "_commits").mkdir()
    commit(str(tmp_path), Commit(1, (), counts={"rows": 77}), 0.0)
    found = step(tmp_path, Writes(str(tmp_path)))
    assert [(one.unit, one.counts["rows"]) for one in found] == [(0, 1), (1, 77), (2, 1)]
    assert ran == [("Writes", [0, 2])]


def test_a_unit_that_leaves_no_commit_is_an_error(tmp_path: Path, ran: object) -> None:
    with pytest.raises(StageError, match=r"a-?.*: units \[1\] left no commit; run the same command again"):
        step(tmp_path, Writes(str(tmp_path), lazy=1))
    assert committed(str(tmp_path), 2) is not None


FILES = {
    "news-read": {"part-00000.parquet", "_commits/unit-00001.json", "_reads/unit-00001.json",
                  "_keys/keys-00001.arrow", "_buckets/bucket-00001.parquet"},
    "news-gopher_quality": {"part-00001.parquet"},
    "dedup": {"_keys/keys-00002.arrow", "_buckets/bucket-00000.parquet", "part-00002.parquet"},
    "tokenizer": {"tokenizer.json"},
    "tokenize": {"_tokenizer.json", "part-00002.parquet"},
    "pack": {"tokenizer.json", "tokens-00000.bin", "tokens-00000.idx", "tokens-00000.parquet"},
    "mix": {"index.json"},
}  # fmt: skip


def test_what_each_verb_writes(tmp_path: Path, ran: object) -> None:
    run = runner.curate(parse(write_sources(tmp_path), "m"), str(tmp_path / "run"), Session())
    for stage in run.stages:
        folder = tmp_path / "run" / stage.folder
        written = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
        assert FILES.get(stage.name, set()) | {"_manifest.json"} <= written
    tokenizer, pack = (
        next((tmp_path / "run").glob(f"*-{name}-????????")) / "tokenizer.json" for name in ("tokenizer", "pack")
    )
    assert tokenizer.read_bytes() == pack.read_bytes()
    assert len(json.loads(tokenizer.read_text())["model"]["vocab"]) == 300
