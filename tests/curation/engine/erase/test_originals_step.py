"""One shard: which text each row of each file gets, and what else goes."""

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from curation.core.document import TEXT_OF_DROPPED
from curation.core.manifest import ORIGINALS
from curation.engine.erase.originals_step import OriginalsStep
from curation.engine.erase.replacing import Replacement
from curation.engine.executor.work import Unit
from curation.engine.run.steps import ShardSources
from tests.curation.engine.erase.redacting_runs import NAME, RedactingLines

TITLED = pa.struct([("title", pa.string()), ("tags", pa.int64())])
TEXT = pa.field("text", pa.large_string())
REASON = pa.field("drop_reason", pa.string())


def write(path: Path, columns: dict[str, pa.Array], text: pa.Field = TEXT, group: int = 100) -> str:
    (path.parent / ORIGINALS).mkdir(parents=True)  # as the log of the step's commits does
    schema = pa.schema([text if name == "text" else (name, array.type) for name, array in columns.items()])
    pq.write_table(pa.table(list(columns.values()), schema=schema), path, row_group_size=group)
    return str(path)


def shard(folder: Path) -> tuple[str, ...]:
    """Read five, of which the filter drops the second, and the redacting stage the last as an error."""
    titles = pa.array([{"title": f"title {row}", "tags": row} for row in range(5)], TITLED)
    reasons = pa.array([None] * 5, pa.string())
    original = pa.array([f"secret {row}" for row in range(5)], pa.large_string())
    read = write(
        folder / "01-read-aa" / "part-00000.parquet",
        {"url": urls(range(5)), "licence": urls(range(5)), "text": original, "extract": titles, "drop_reason": reasons},
        group=2,
    )
    dropped = pa.array([None, "f.x:low", None, None, None], pa.string())
    only = pa.array([None, "secret 1", None, None, None], pa.large_string())
    filtered = write(
        folder / "02-filter-bb" / "part-00000.parquet",
        {"url": urls(range(5)), "text": only, "drop_reason": dropped},
        TEXT_OF_DROPPED,
    )
    redacted = pa.array(["r0", "r2", "r3", "secret 4"], pa.large_string())
    failed = pa.array([None, None, None, "error.pii.Exception"], pa.string())
    own = pa.array([{"title": f"t{row}", "tags": row} for row in (0, 2, 3, 4)], TITLED)
    beside = pa.array([f"u{row}" for row in (0, 2, 3)] + ["http://quillfeather.example/4"], pa.string())
    last = write(
        folder / "03-pii-cc" / "part-00000.parquet",
        {"url": beside, "licence": beside, "text": redacted, "extract": own, "drop_reason": failed},
    )
    return last, filtered, read


def test_titles_go_where_a_stage_that_joins_sources_has_none(tmp_path: Path) -> None:
    last, filtered, read = shard(tmp_path)
    pq.write_table(pq.read_table(last).drop_columns(["extract"]), last)
    folder = str(tmp_path / "03-pii-cc")
    step(folder).run(Unit(0, (last, filtered, read)))
    new = pq.read_table(new_of(folder, read))
    assert new["extract"].to_pylist() == [{"title": None, "tags": row} for row in range(5)]
    assert new["text"].to_pylist() == ["r0", None, "r2", "r3", None]


def urls(rows: Iterable[int]) -> pa.Array:
    return pa.array([f"http://a.example/{NAME}/{row}" for row in rows], pa.string())


def new_of(folder: str | Path, path: str) -> Path:
    return Path(Replacement(str(folder), ORIGINALS).path(*path.rsplit("/", 1)))


def step(folder: str) -> OriginalsStep:
    return OriginalsStep(Replacement(folder, ORIGINALS), {"web": (RedactingLines(),)}, ShardSources.of(["web"]))


def test_each_row_gets_the_text_of_the_redacting_stage_or_none(tmp_path: Path) -> None:
    files = shard(tmp_path)
    folder = str(tmp_path / "03-pii-cc")
    commit = step(folder).run(Unit(0, files))
    new = {path: pq.read_table(new_of(folder, path)) for path in files}
    last, filtered, read = (new[path] for path in files)
    assert read["text"].to_pylist() == ["r0", None, "r2", "r3", None]
    assert filtered["text"].to_pylist() == [None] * 5
    assert last["text"].to_pylist() == ["r0", "r2", "r3", None]
    assert commit.counts == {"replaced": 3 + 3 + 3, "emptied": 1 + 2 + 2}


def test_urls_licences_and_titles_are_those_of_the_redacting_stage_or_redacted(tmp_path: Path) -> None:
    files = shard(tmp_path)
    step(str(tmp_path / "03-pii-cc")).run(Unit(0, files))
    last, filtered, read = (pq.read_table(new_of(tmp_path / "03-pii-cc", path)) for path in files)
    redacted = ["u0", "http://a.example/someone/1", "u2", "u3", "http://a.example/someone/4"]
    assert read["url"].to_pylist() == filtered["url"].to_pylist() == read["licence"].to_pylist() == redacted
    assert last["url"].to_pylist() == [redacted[row] for row in (0, 2, 3, 4)]
    titles = [{"title": f"t{row}" if row in (0, 2, 3) else None, "tags": row} for row in range(5)]
    assert read["extract"].to_pylist() == titles
    assert last["extract"].to_pylist() == [titles[row] for row in (0, 2, 3, 4)]


def test_all_else_stays(tmp_path: Path) -> None:
    files = shard(tmp_path)
    step(str(tmp_path / "03-pii-cc")).run(Unit(0, files))
    for path in files:
        old = pq.read_table(path)
        new = pq.read_table(new_of(tmp_path / "03-pii-cc", path))
        assert new.schema.equals(old.schema, check_metadata=True)
        assert new["drop_reason"].equals(old["drop_reason"])


def test_of_a_first_stage_that_was_made_again_the_same_files_come(tmp_path: Path) -> None:
    files = shard(tmp_path)
    made = step(str(tmp_path / "03-pii-cc"))
    first = made.run(Unit(0, files))
    for path in files[:2]:
        new_of(made.replacement.home, path).replace(path)
    assert made.run(Unit(0, files)) == first


def test_a_shard_without_rows_in_the_redacting_stage_is_emptied(tmp_path: Path) -> None:
    _, filtered, read = shard(tmp_path)
    none = pa.array([], pa.string())
    columns = {"url": none, "licence": none, "text": none.cast(pa.large_string()), "extract": pa.array([], TITLED)}
    last = write(tmp_path / "04-pii-dd" / "part-00000.parquet", {**columns, "drop_reason": none})
    made = step(str(tmp_path / "04-pii-dd"))
    assert made.run(Unit(0, (last, filtered, read))).counts == {"replaced": 0, "emptied": 10}
    new = pq.read_table(new_of(made.replacement.home, read))
    assert new["text"].to_pylist() == [None] * 5
    assert new["url"].to_pylist() == [f"http://a.example/someone/{row}" for row in range(5)]
