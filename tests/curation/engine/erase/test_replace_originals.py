"""After a redacting stage no file holds the originals, whatever happens meanwhile, and the account stays as it was."""

import json
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.account.run import Run
from curation.core import storage
from curation.core.document import TEXT_OF_DROPPED
from curation.core.errors import InputError, RecipeError
from curation.core.manifest import ORIGINALS
from curation.core.run_lock import LOCK
from curation.engine.driver.dry_run import dry_run
from curation.engine.erase.replace_originals import OriginalsStep
from curation.engine.erase.replacing import Replacement
from curation.engine.executor.work import Unit
from curation.engine.recipe.recipe import parse
from curation.engine.run.steps import ShardSources
from curation.rewrite import c4_lines
from tests.curation.engine.erase.redacting_runs import (
    GOOD,
    NAME,
    RECIPE,
    SECRET,
    RedactingLines,
    curate,
    words_in,
    write_inputs,
)

REDACTED = {name: f"{GOOD} {name[0]}\n{GOOD}" for name in ("0/kept", "1/kept")}
LATE = {name: f"A book of the people {name[0]}." for name in ("0/late", "1/late")}
STAGES = ("web-read", "web-gopher", "web-dedup", "web-redact", "web-late")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(c4_lines, "C4Lines", RedactingLines)
    write_inputs(tmp_path)
    return tmp_path


def texts(run: str, stage: str) -> dict[str, str | None]:
    """Text by "<shard>/<name>", of web documents."""
    rows = [row for batch in Run.open(run).stage(stage).scan(["url", "text"]) for row in batch.to_pylist()]
    return {row["url"].removeprefix("http://").replace(".example", ""): row["text"] for row in rows}


def content(run: str) -> dict[str, bytes]:
    """The run's files by name, without what the clock decides."""
    files = {str(path.relative_to(run)): path for path in Path(run).rglob("*") if path.is_file()}
    whole = {name: path for name, path in files.items() if not name.endswith((LOCK, "progress.json", ".arrow"))}
    return {name: _timeless(path) for name, path in whole.items()}


def _timeless(path: Path) -> bytes:
    if path.suffix != ".json":
        return path.read_bytes()
    value = json.loads(path.read_bytes())
    return json.dumps({k: v for k, v in value.items() if k not in {"wall_seconds", "steps", "energy"}}).encode()


def counts(run: str) -> list[tuple[int, int, int, dict[str, int]]]:
    """Rows, kept rows, bytes of text and drop reasons of each stage of documents."""
    manifests = [Run.open(run).stage(name).manifest for name in STAGES]
    return [(m.total("rows"), m.total("kept"), m.total("text_bytes"), m.merged("dropped")) for m in manifests]


def test_kept_originals_stay_where_they_were(folder: Path) -> None:
    run = curate(folder, "run", privacy="")
    holding = {Path(path).parent.name for path, words in words_in(run) if SECRET in words}
    assert {name[3:-9] for name in holding} == {"web-read", "web-gopher", "web-dedup"}


def test_no_file_holds_an_original_and_the_manifests_say_which_stage_redacted(folder: Path) -> None:
    path = curate(folder, "run")
    assert not [path for path, words in words_in(path) if SECRET in words]
    dropped = dict.fromkeys(("0/short", "1/short"))
    copies = dict.fromkeys(("0/copy", "1/copy"))
    assert texts(path, "web-read") == texts(path, "web-gopher") == REDACTED | LATE | dropped | copies
    assert texts(path, "web-dedup") == REDACTED | LATE | copies
    assert texts(path, "web-redact") == REDACTED | LATE
    run = Run.open(path)
    redacting = run.stage("web-redact").manifest
    named = {"stage": "web-redact", "address": redacting.address}
    assert all(run.stage(name).manifest.originals == named for name in ("web-read", "web-gopher", "web-dedup"))
    assert redacting.originals == {**named, "replaced": 4 * 4, "emptied": 2 * (2 + 2 + 1)}
    assert run.stage("web-late").manifest.originals is run.stage("books-read").manifest.originals is None
    before = content(path)
    assert run.verify(deep=True).problems == ()
    curate(folder, "run")
    assert content(path) == before


def test_what_was_counted_and_what_comes_after_is_as_with_kept_originals(folder: Path) -> None:
    kept = curate(folder, "kept", privacy="")
    gone = curate(folder, "gone")
    assert counts(kept) == counts(gone)
    assert texts(kept, "web-late") == texts(gone, "web-late")
    assert [s.kept for s in Run.open(kept).funnel().stages] == [s.kept for s in Run.open(gone).funnel().stages]


@pytest.mark.parametrize("call", [0, 3, 14, 21])
def test_cut_off_at_any_file_the_same_run_ends_in_the_same_bytes(
    folder: Path, monkeypatch: pytest.MonkeyPatch, call: int
) -> None:
    whole = content(curate(folder, "whole"))
    move = storage.move_file
    left = [call]

    def cut_off(source: str, target: str) -> None:
        left[0] -= ORIGINALS in source
        if left[0] < 0:
            raise KeyboardInterrupt
        move(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(storage, "move_file", cut_off)
        with pytest.raises(KeyboardInterrupt):
            curate(folder, "run")
    problems = Run.open(str(folder / "run")).verify().problems
    assert problems[0].what.startswith("originals were being replaced")
    assert content(curate(folder, "run")) == whole


def test_a_damaged_first_stage_is_made_again_without_originals(folder: Path) -> None:
    run = curate(folder, "run")
    whole = content(run)
    next(Path(run).glob("*-web-read-*/part-00001.parquet")).write_bytes(b"damaged")
    for path in Run.open(run).verify().problems[0].delete:
        Path(path).unlink()
    assert content(curate(folder, "run")) == whole


def test_a_changed_earlier_stage_is_refused_in_one_line(folder: Path) -> None:
    curate(folder, "run")
    with pytest.raises(InputError, match=r"web-gopher has to run again, .* originals of web-read are gone since"):
        curate(folder, "run", words=12)


def test_a_changed_later_stage_runs_on_the_redacted_text(folder: Path) -> None:
    curate(folder, "run")
    changed = curate(folder, "run", sentences=1)
    anew = curate(folder, "anew", sentences=1)
    assert texts(changed, "web-late") == texts(anew, "web-late") == REDACTED | LATE


def test_originals_go_only_where_something_redacts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    values = {"folder": folder, "privacy": "privacy: {originals: until_sealed}", "words": 1, "sentences": 1}
    with pytest.raises(RecipeError, match="no stage of the recipe redacts"):
        dry_run(parse(RECIPE % values, "private.yaml"), str(folder / "run"))


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
