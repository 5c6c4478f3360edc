"""The laws that a finished run shows by itself: names, measures, nothing lost, narrow exchange, sealed or absent."""

import shutil
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

from curation.account.run import Run
from curation.core.manifest import Manifest
from curation.core.progress import Progress
from curation.core.rules import Rule, first_failure
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse as parse_recipe
from tests.commits import uncommit
from tests.drop_reasons import parse
from tests.runs import data_hashes


@pytest.fixture(scope="module")
def stages(finished_run: Path) -> dict[str, tuple[Path, Manifest]]:
    return {stage.name: (Path(stage.folder), stage.manifest) for stage in Run.open(finished_run / "run").stages}


def rows_of(stage: tuple[Path, Manifest]) -> pa.Table:
    return pa.concat_tables([pq.read_table(stage[0] / part.file) for part in stage[1].parts])


def test_law_1_keys_are_columns_and_reason_prefixes(stages: dict[str, tuple[Path, Manifest]]) -> None:
    for key, stage in (("language", "language"), ("gopher_quality", "gopher"), ("gopher_repetition", "gopher")):
        assert key in rows_of(stages[stage]).column_names
    reasons = set(stages["language"][1].merged("dropped"))
    assert reasons
    assert {parse(reason).key for reason in reasons} == {"language"}


def test_law_2_verdicts_follow_from_stored_signals(stages: dict[str, tuple[Path, Manifest]]) -> None:
    for name in ("language", "gopher"):
        table = rows_of(stages[name])
        manifest = stages[name][1]
        expected = pa.nulls(table.num_rows, pa.string())
        for bounds in manifest.limits:
            key, signal = bounds["rule"].split(".")
            values = pc.struct_field(table[key].combine_chunks(), signal)
            assert values.null_count == 0, "every row is measured, whatever an earlier rule said of it"
            one_of = tuple(bounds["one_of"]) if "one_of" in bounds else None
            rule = Rule(signal, bounds.get("at_least", float("-inf")), bounds.get("at_most", float("inf")), one_of)
            failure = first_failure({signal: values}, (rule,), table.num_rows)
            expected = pc.coalesce(expected, pc.binary_join_element_wise(pa.scalar(key), failure, "."))
        assert table["drop_reason"].to_pylist() == expected.to_pylist()
        assert set(table["drop_reason"].to_pylist()) > {None}


def test_law_3_nothing_disappears(stages: dict[str, tuple[Path, Manifest]]) -> None:
    before: list[str] | None = None
    for path, manifest in stages.values():
        if not manifest.verb.documents:
            continue
        table = rows_of((path, manifest))
        ids = table["doc_id"].to_pylist()
        assert before is None or ids == before
        assert table.num_rows == manifest.total("rows")
        for reason in table["drop_reason"].drop_null().to_pylist():
            parse(reason)
        before = table.filter(pc.is_null(table["drop_reason"]))["doc_id"].to_pylist()
    assert before


def test_law_3_text_is_stored_where_it_is_made_and_where_it_ends(stages: dict[str, tuple[Path, Manifest]]) -> None:
    documents = {name: stage for name, stage in stages.items() if stage[1].verb.documents}
    *_, last = documents
    for name, stage in documents.items():
        table = rows_of(stage)
        kept = table.filter(pc.is_null(table["drop_reason"]))["text"]
        assert kept.null_count == (0 if stage[1].verb.begins or name == last else len(kept)), name
        dropped = table.filter(pc.is_valid(table["drop_reason"]))
        assert dropped.filter(pc.invert(pc.starts_with(dropped["drop_reason"], "extract:")))["text"].null_count == 0
    assert set(rows_of(stages[last]).column_names) == {name for name, _ in stages[last][1].schema}


def test_law_3_every_page_of_the_crawl_has_a_row(stages: dict[str, tuple[Path, Manifest]]) -> None:
    urls = rows_of(stages["extract"])["url"].to_pylist()
    assert sorted(urls) == sorted(f"http://town.example/{a}-{n}" for a in range(3) for n in range(40))
    counts = stages["extract"][1].merged("counts")
    assert counts["skipped.status.404"] == 3
    assert counts["skipped.type.image/png"] == 3


def test_law_4_the_exchange_is_narrow(stages: dict[str, tuple[Path, Manifest]]) -> None:
    folder = stages["dedup"][0]
    for path in (path for path in (folder / "_keys").glob("*.arrow") if not path.match("group-*")):
        with pa.ipc.open_file(path) as file:
            assert {str(field.type) for field in file.schema} <= {"uint64", "int64", "uint32", "uint8", "bool"}


def test_counts_agree_everywhere(stages: dict[str, tuple[Path, Manifest]]) -> None:
    tokenized = rows_of(stages["tokenize"])
    kept = tokenized.filter(pc.is_null(tokenized["drop_reason"]))
    total = pc.sum(pc.list_value_length(kept["tokens"])).as_py()
    assert stages["tokenize"][1].total("tokens") == total
    packed: Any = stages["pack"][1].tokens
    assert sum(part["tokens"] for part in packed["parts"]) == total


def test_each_stage_opens_with_one_glob(stages: dict[str, tuple[Path, Manifest]]) -> None:
    for path, manifest in stages.values():
        if manifest.verb.learns or manifest.verb.mixes:
            (name,) = (one.name for one in path.glob("*.json") if not one.name.startswith("_"))
            assert duckdb.sql(f"select count(*) from read_json('{path}/{name}')").fetchall() == [(1,)]
            continue
        glob = "tokens-*.parquet" if manifest.verb.packs else "*.parquet"
        expected = sum(pq.read_metadata(file).num_rows for file in path.glob(glob))
        assert duckdb.sql(f"select count(*) from '{path}/{glob}'").fetchall() == [(expected,)]
        if not manifest.verb.packs:
            assert expected == manifest.total("rows")
            assert len(pandas.read_parquet(path)) == expected


def snapshot(run: Path) -> dict[str, tuple[int, int]]:
    """Time and size of every file but `.lock`, into which each command writes its name."""
    files = (path for path in run.rglob("*") if path.is_file() and path.name != ".lock")
    return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in files}


def curated_again(finished_run: Path, run: Path) -> list[Progress]:
    """Curates into a copy of the finished run, without Ray."""
    told: list[Progress] = []
    recipe = parse_recipe((finished_run / "small.yaml").read_text(), "small.yaml")
    runner.curate(recipe, str(run), Inline(), told.append)
    return told


def test_law_6_a_second_run_does_nothing(finished_run: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(finished_run / "run", run)
    before = snapshot(run)
    assert {step.step for step in curated_again(finished_run, run)} == {"sealed"}
    assert snapshot(run) == before


def test_law_6_only_what_is_missing_is_done_again(finished_run: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(finished_run / "run", run)
    expected = data_hashes(run)
    (gopher,) = run.glob("*-gopher-*")
    (gopher / "_manifest.json").unlink()
    uncommit(gopher, [0])
    (gopher / "part-00000.parquet").write_bytes(b"cut short")
    (pack,) = run.glob("*-pack-*")
    manifest = (pack / "_manifest.json").read_bytes()
    (pack / "_manifest.json").write_bytes(manifest[: len(manifest) // 2])
    before = snapshot(run)
    curated_again(finished_run, run)
    assert data_hashes(run) == expected
    changed = {Path(p).relative_to(run).parts[0] for p, seen in snapshot(run).items() if before.get(p) != seen}
    assert changed == {gopher.name, pack.name}
