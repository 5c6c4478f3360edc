"""Files of which too little can be read: the run stops with their names, and goes on where the recipe allows it."""

import gzip
from pathlib import Path

import pytest

from curation.account.run import Run
from curation.core.errors import StageError
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from tests.curation.sources.sample_archives import http, warc

GOOD = '{"text": "some words"}\n'
BAD = '{"text": "some wor\n'
RECIPE = """
version: 1
name: rows
shards: {group_mb: 0}
sources:
  books:
    - read: {%s: {paths: ["%s"]}}
"""


def curated(folder: Path, source: str = "jsonl", beside: str = "", extract: str = "") -> Run:
    text = RECIPE % (source, folder / "in") + extract + (f"      {beside}\n" if beside else "")
    runner.curate(parse(text, "r.yaml"), str(folder / "run"), Inline())
    return Run.open(str(folder / "run"))


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


def test_half_of_a_file_is_told_and_less_stops_the_run(tmp_path: Path, inputs: Path) -> None:
    (inputs / "a.jsonl").write_text(GOOD * 2 + BAD * 2)
    run = curated(tmp_path)
    (line,) = run.funnel().stages
    assert (line.rows, line.warnings) == (
        2,
        (
            f"{inputs}/a.jsonl: 2 of 4 lines are not JSON, first at line 3 (byte 46): Unterminated string starting at "
            f"character 10; winnow funnel {tmp_path}/run --json lists them as `faults` of read",
        ),
    )
    (inputs / "a.jsonl").write_text(GOOD * 2 + BAD * 3)
    with pytest.raises(StageError) as stopped:
        curated(tmp_path)
    assert str(stopped.value) == (
        f"read could not read enough of {inputs}/a.jsonl: 3 of 5 lines are not JSON, first at line 3 (byte 46): "
        "Unterminated string starting at character 10; mend the file or leave it out, or allow it beside the stage "
        "with `max_failed_inputs: 1` or `max_failed_rows: 0.6`"
    )


@pytest.mark.parametrize("beside", ["max_failed_inputs: 2", "max_failed_rows: 0.75"])
def test_what_the_recipe_allows_goes_on_from_what_was_read(tmp_path: Path, inputs: Path, beside: str) -> None:
    (inputs / "a.jsonl").write_text(GOOD)
    (inputs / "b.jsonl").write_text(GOOD + BAD * 3)
    (inputs / "c.jsonl").write_text(GOOD + BAD * 2)
    with pytest.raises(StageError, match=r"b\.jsonl: 3 of 4.*\(the first of 2 such files\).*inputs: 2.*rows: 0.75"):
        curated(tmp_path)
    (part, *_) = sorted((tmp_path / "run").glob("01-*/*.parquet"))
    written = part.stat().st_mtime_ns
    run = curated(tmp_path, beside=beside)
    assert run.funnel().stages[0].rows == 3
    assert part.stat().st_mtime_ns == written
    with pytest.raises(StageError, match=r"b\.jsonl: 3 of 4"):
        curated(tmp_path)


def test_a_file_in_ranges_is_judged_as_a_whole(tmp_path: Path, inputs: Path) -> None:
    (inputs / "a.jsonl").write_text((GOOD * 60_000) + (BAD * 20_000))
    recipe = RECIPE.replace("group_mb: 0", "group_mb: 0, split_mb: 1") % ("jsonl", inputs)
    runner.curate(parse(recipe, "r.yaml"), str(tmp_path / "run"), Inline())
    (stage,) = Run.open(str(tmp_path / "run")).stages
    assert stage.manifest.shards.units == 2
    ((only,), count) = (stage.manifest.shards.unread, stage.manifest.shards.unread_files)
    assert (only["read"], only["failed"], only["first"]["line"], count) == (60_000, {"bad_json": 20_000}, 60_001, 1)


def test_a_page_that_was_saved_as_an_archive_stops_the_run(tmp_path: Path, inputs: Path) -> None:
    (inputs / "a.warc.gz").write_bytes(gzip.compress(b"<!DOCTYPE html><p>Not found"))
    with pytest.raises(
        StageError, match=r"extract could not read enough of .*a\.warc\.gz: none of 47 bytes could be read, first"
    ):
        curated(tmp_path, "warc", extract="    - extract: {resiliparse: {}}\n")


@pytest.mark.parametrize(("garbage", "told"), [(900, "900 of "), (2_000, "")], ids=["less than half", "more"])
def test_an_archive_of_which_bytes_are_lost(tmp_path: Path, inputs: Path, garbage: int, told: str) -> None:
    page = http(b"<p>" + b"A page of many words. " * 50, media="text/html")
    (inputs / "a.warc").write_bytes(b"x" * garbage + warc("a", page))
    extract = "    - extract: {resiliparse: {}}\n"
    if not told:
        with pytest.raises(StageError, match=r"a\.warc: 2,000 of 3,\d+ bytes are damaged, first at byte 0: no WARC"):
            curated(tmp_path, "warc", extract=extract)
        return
    (line,) = curated(tmp_path, "warc", extract=extract).funnel().stages
    assert line.rows == 1
    assert f"a.warc: {told}" in line.warnings[0]
    assert len(line.warnings) == 1
