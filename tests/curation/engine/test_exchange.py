"""keys -> collide -> attach over sealed files, without Ray: the same verdicts for any number of buckets and shards."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core.document import DOCUMENT
from curation.core.stage import Keys
from curation.engine import exchange
from curation.engine.execution import Unit, run_here
from curation.engine.parts import PartWriter
from curation.engine.plan import after
from curation.engine.recipe import Stage, StageOptions
from curation.engine.steps import Sources, committed
from curation.text.hashing import hash64
from tests.support import documents


@dataclass(frozen=True, kw_only=True)
class Same:
    """Equal texts have equal keys; the empty text has none; "boom" is more than it can take."""

    reads: ClassVar[tuple[str, ...]] = ("text",)
    version: ClassVar[int] = 1

    def keys(self, batch: pa.RecordBatch) -> Keys:
        if "boom" in batch.column("text").to_pylist():
            raise ArithmeticError("no keys for boom")
        key = hash64(batch.column("text"))
        row = np.flatnonzero(key != 0)
        return Keys(key[row], np.zeros(len(row), np.uint64), row)


SHARDS = [["a", "b", "", "a"], ["c", "b", ""], [], ["d", "a"]]
DROPPED_ALREADY = {(1, 0)}


def deduplicated(folder: Path, buckets: int, shards: list[list[str]] = SHARDS) -> list[list[dict[str, Any]]]:
    given, output = folder / "given", folder / "output"
    for path in (given, output, *(output / name for name in ("_keys", "_buckets", "_commits"))):
        path.mkdir(parents=True)
    paths = []
    for shard, texts in enumerate(shards):
        writer = PartWriter(str(given), f"part-{shard:05d}", DOCUMENT, "web")
        reasons: list[object] = ["a.b:low" if (shard, row) in DROPPED_ALREADY else None for row in range(len(texts))]
        writer.add(pa.Table.from_batches([documents(*texts, drop_reason=reasons)]))
        paths.append(str(given / writer.close()[0].file))
    methods = (("same", Same()),)
    schema = after(Stage("dedup", methods, StageOptions(), ()), DOCUMENT)
    scatter = exchange.Scatter(str(output), methods, ("text",), buckets)
    gather = exchange.Gather(str(output), len(paths))
    sources = Sources.of(["web"] * len(paths))
    attach = exchange.Attach(str(output), ("same",), buckets, tuple(DOCUMENT.names), sources, schema)
    for number, path in enumerate(paths):
        run_here(scatter, Unit(number, path))
    for bucket in range(buckets):
        run_here(gather, Unit(bucket, None))
    for number, path in enumerate(paths):
        run_here(attach, Unit(number, path))
        assert committed(str(output), number) is not None
    return [pq.read_table(output / f"part-{n:05d}.parquet").to_pylist() for n in range(len(paths))]


@pytest.mark.parametrize("buckets", [1, 2, 7])
def test_verdicts(tmp_path: Path, buckets: int) -> None:
    rows = deduplicated(tmp_path, buckets)
    found = [[(r["text"], r["drop_reason"], r["same"]["duplicate_of"], r["same"]["copies"]) for r in s] for s in rows]
    copy, third = "dedup.same:duplicate", 3 << 32
    assert found[0] == [("a", None, None, 3), ("b", None, None, 2), ("", None, None, 1), ("a", copy, 0, 3)]
    # Row 0 of shard 1 was dropped before, so its kept rows are numbered from "b".
    assert found[1] == [("b", copy, 1, 2), ("", None, None, 1)]
    assert found[2] == []
    assert found[3] == [("d", None, None, 1), ("a", copy, 0, 3)]
    assert third + 1 not in {row[2] for shard in found for row in shard}


def test_a_document_without_keys_costs_only_itself(tmp_path: Path) -> None:
    rows = deduplicated(tmp_path, 2, [["a", "boom", "b"], ["dropped", "", "boom", "a"]])
    error, copy = "error.same.ArithmeticError", "dedup.same:duplicate"
    assert [[row["drop_reason"] for row in shard] for shard in rows] == [[None, error, None], [None, error, copy]]
    assert rows[1][2]["same"] == {"duplicate_of": 0, "copies": 2}


def test_a_commit_whose_file_was_cut_short_does_not_count(tmp_path: Path) -> None:
    deduplicated(tmp_path, 2)
    keys = tmp_path / "output" / "_keys" / "keys-00000.arrow"
    assert committed(str(tmp_path / "output"), 0, "_keys") is not None
    keys.write_bytes(keys.read_bytes()[:-1])
    assert committed(str(tmp_path / "output"), 0, "_keys") is None
    part = tmp_path / "output" / "part-00000.parquet"
    part.write_bytes(b"")
    assert committed(str(tmp_path / "output"), 0) is None
