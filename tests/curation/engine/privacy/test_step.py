"""One shard: which text each row of each file gets, and what else goes."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from curation.core.document import TEXT_OF_DROPPED
from curation.core.manifest import ORIGINALS
from curation.engine.privacy.step import OriginalsStep, new_name
from curation.engine.run.work import Unit

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
        {"text": original, "extract": titles, "drop_reason": reasons},
        group=2,
    )
    dropped = pa.array([None, "f.x:low", None, None, None], pa.string())
    only = pa.array([None, "secret 1", None, None, None], pa.large_string())
    filtered = write(
        folder / "02-filter-bb" / "part-00000.parquet", {"text": only, "drop_reason": dropped}, TEXT_OF_DROPPED
    )
    redacted = pa.array(["r0", "r2", "r3", "secret 4"], pa.large_string())
    failed = pa.array([None, None, None, "error.pii.Exception"], pa.string())
    last = write(folder / "03-pii-cc" / "part-00000.parquet", {"text": redacted, "drop_reason": failed})
    return last, filtered, read


def test_each_row_gets_the_text_of_the_redacting_stage_or_none(tmp_path: Path) -> None:
    files = shard(tmp_path)
    folder = str(tmp_path / "03-pii-cc")
    commit = OriginalsStep(folder).run(Unit(0, files))
    new = {path: pq.read_table(Path(folder, ORIGINALS, new_name(path))) for path in files}
    last, filtered, read = (new[path] for path in files)
    assert read["text"].to_pylist() == ["r0", None, "r2", "r3", None]
    assert filtered["text"].to_pylist() == [None] * 5
    assert last["text"].to_pylist() == ["r0", "r2", "r3", None]
    assert commit.counts == {"replaced": 3 + 3 + 3, "emptied": 1 + 2 + 2}


def test_titles_go_and_all_else_stays(tmp_path: Path) -> None:
    files = shard(tmp_path)
    OriginalsStep(str(tmp_path / "03-pii-cc")).run(Unit(0, files))
    for path in files:
        old, new = pq.read_table(path), pq.read_table(tmp_path / "03-pii-cc" / ORIGINALS / new_name(path))
        assert new.schema.equals(old.schema, check_metadata=True)
        assert new["drop_reason"].equals(old["drop_reason"])
    assert new["extract"].to_pylist() == [{"title": None, "tags": row} for row in range(5)]


def test_written_again_from_its_own_files_they_are_the_same(tmp_path: Path) -> None:
    files = shard(tmp_path)
    step = OriginalsStep(str(tmp_path / "03-pii-cc"))
    first = step.run(Unit(0, files))
    for path in files:
        Path(step.folder, ORIGINALS, new_name(path)).replace(path)
    assert step.run(Unit(0, files)) == first


def test_a_shard_without_rows_in_the_redacting_stage_is_emptied(tmp_path: Path) -> None:
    _, filtered, read = shard(tmp_path)
    none = pa.array([], pa.large_string())
    last = write(tmp_path / "04-pii-dd" / "part-00000.parquet", {"text": none, "drop_reason": none.cast(pa.string())})
    step = OriginalsStep(str(tmp_path / "04-pii-dd"))
    assert step.run(Unit(0, (last, filtered, read))).counts == {"replaced": 0, "emptied": 10}
    assert pq.read_table(Path(step.folder, ORIGINALS, new_name(read)))["text"].to_pylist() == [None] * 5
