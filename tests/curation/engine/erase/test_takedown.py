"""One stage's takedown: its audit record, and the commits beside the manifest. See also end_to_end."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from curation.account.lineage.requests import Request
from curation.account.run import Run
from curation.core.commits import Part
from curation.core.document import DOCUMENT
from curation.core.manifest import FORMAT, RUN, TAKEN_DOWN, RunRecord, read_manifest, read_run, write_json
from curation.core.new_file import checksum_of
from curation.core.protocols import Ints
from curation.engine.erase.documents import erase_rows
from curation.engine.erase.takedown import Takedown, begin, erase, finish, takedowns, unfinished
from curation.engine.run.part_files import PartWriter
from pipelines.takedown import take_down
from tests import takedowns as runs
from tests.commits import commits_of
from tests.support import documents


def test_a_filter_stage(taken_run: Path) -> None:
    folder = runs.stage_folder(taken_run, "news-gopher_quality")
    path = folder / "part-00000.parquet"
    old = checksum_of(str(path))
    started = begin(str(taken_run), [runs.doc_id_of(taken_run, "http://news-0.example/2")], (), {"when": "2026-11-21"})
    entry = erase(str(folder), {0: np.array([2])}, started)
    assert entry == {
        "takedown": 0,
        "when": "2026-11-21",
        "documents": 1,
        "rows": 1,
        "files": {"part-00000.parquet": {"before": old, "after": checksum_of(str(path))}},
    }
    manifest = read_manifest(str(folder))
    assert manifest is not None
    assert (manifest.format, manifest.audit) == (FORMAT, (entry,))
    assert manifest.parts[0].file_bytes == path.stat().st_size
    assert tuple(commits_of(folder).values()) == manifest.commits
    assert not (folder / TAKEN_DOWN).exists()
    content = path.read_bytes()
    assert erase(str(folder), {0: np.array([2])}, started) == entry
    assert path.read_bytes() == content


def test_the_record_of_each_stage_has_the_checksums_of_its_files(taken_run: Path) -> None:
    old = {path: checksum_of(str(path)) for path in taken_run.rglob("*.*") if path.is_file()}
    take_down(str(taken_run), Request("url", ("http://news-0.example/2",), ""))
    kinds = set()
    for stage in Run.open_with_earlier(taken_run).stages:
        for name, sums in ((name, sums) for one in stage.manifest.audit for name, sums in one["files"].items()):
            path = Path(stage.folder, name)
            assert sums == {"before": old.get(path, ""), "after": checksum_of(str(path))}
            kinds.add(path.name.partition("-")[0] + path.suffix)
    assert kinds >= {"part.parquet", "keys.arrow", "minhash.arrow"}
    assert {".bin", ".idx"} <= {Path(kind).suffix for kind in kinds}


def test_stages_without_documents_are_passed_over(taken_run: Path) -> None:
    started = begin(str(taken_run), ["0" * 32], (), {"when": ""})
    for stage in Run.open_with_earlier(taken_run).stages:
        if stage.manifest.verb.learns or stage.manifest.verb.mixes:
            assert erase(stage.folder, {0: np.array([0])}, started) is None


TEXTS = ["one", "two two", None, "four", "fünf"]
TOKENS = [[1, 2], [3, 4, 5], None, [6], [7, 8]]


def write(folder: Path) -> tuple[Path, Part]:
    """Five rows in two row groups; the third has no text, the fourth is dropped."""
    reasons: list[object] = [None, None, "extract:empty", "a.b:low", None]
    batch = documents(*TEXTS, drop_reason=reasons)
    tokens = pa.array(TOKENS, pa.large_list(pa.uint16()))
    table = pa.Table.from_batches([batch]).append_column("tokens", tokens).append_column("n", pa.array(range(5)))
    schema = pa.schema([*DOCUMENT, pa.field("tokens", tokens.type), pa.field("n", pa.int64())])
    writer = PartWriter(str(folder), 0, schema, "web")
    writer.add(table.slice(0, 3))
    writer._flush()
    writer.add(table.slice(3))
    (part,) = writer.close()
    return folder / part.file, part


def erased(path: Path, part: Part, rows: Ints) -> Part:
    """The part's entry after its rows were erased in place."""
    target = path.with_name("beside")
    entry = erase_rows(str(path.parent), part, rows, str(target))
    target.rename(path)
    return entry


def test_text_and_tokens_go_and_all_else_stays(tmp_path: Path) -> None:
    path, part = write(tmp_path)
    before = pq.read_table(path).to_pylist()
    assert (part.rows, part.kept, part.text_bytes, part.kept_text_bytes, part.tokens) == (5, 3, 19, 15, 7)
    made = erased(path, part, np.array([1, 3, 4]))
    rows = pq.read_table(path).to_pylist()
    assert [row["text"] for row in rows] == ["one", None, None, None, None]
    assert [row["tokens"] for row in rows] == [[1, 2], None, None, None, None]
    for was, now in zip(before, rows, strict=True):
        assert {k: v for k, v in now.items() if k not in ("text", "tokens")} == {
            k: v for k, v in was.items() if k not in ("text", "tokens")
        }
    metadata = pq.read_metadata(path)
    assert [metadata.row_group(n).num_rows for n in range(metadata.num_row_groups)] == [3, 2]
    assert (made.rows, made.kept, made.text_bytes, made.kept_text_bytes, made.tokens) == (5, 3, 3, 3, 2)
    assert (made.dropped, made.file_bytes) == (part.dropped, path.stat().st_size)
    content = path.read_bytes()
    assert erased(path, made, np.array([1, 3, 4])) == made
    assert path.read_bytes() == content


def test_a_part_without_rows(tmp_path: Path) -> None:
    (part,) = PartWriter(str(tmp_path), 0, DOCUMENT, "web").close()
    assert erased(tmp_path / part.file, part, np.array([], np.int64)).rows == 0


AUDIT = {"rows": 3, "files": {"a": {}, "b": {}}}


def test_a_takedown_from_its_beginning_to_its_end(tmp_path: Path) -> None:
    write_json(str(tmp_path / RUN), RunRecord(FORMAT, "r", {"version": 1, "sources": {}, "joined": []}, (), True))
    first = begin(str(tmp_path), ["aa", "bb"], ["11", "22", "11"], {"when": "2026-01-01", "request": "00"})
    assert first == Takedown(0, "2026-01-01", ("aa", "bb"))
    assert unfinished(str(tmp_path)) == [first]
    finish(str(tmp_path), first, [("01-read", AUDIT), ("02-filter", AUDIT)])
    second = begin(str(tmp_path), ["cc"], ["22", "33"], {"when": "2026-01-02", "request": "11"})
    run = read_run(str(tmp_path))
    assert run.tombstones == ("aa", "bb", "cc")
    assert run.taken_texts == ("11", "22", "33")
    assert [one["texts"] for one in run.takedowns] == [2, 1]
    assert takedowns(run) == [first, second] == [first, Takedown(1, "2026-01-02", ("cc",))]
    assert unfinished(str(tmp_path)) == [second]
    entry = {
        "when": "2026-01-01",
        "request": "00",
        "tombstones": 2,
        "texts": 2,
        "finished": True,
        "rows": 6,
        "files": 4,
    }
    assert run.takedowns[0] == {**entry, "stages": ["01-read", "02-filter"]}
    assert run.recipe == {"version": 1, "sources": {}, "joined": []}
