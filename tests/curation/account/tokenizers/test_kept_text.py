"""The text of a run's last stage, or of one by name, and an even sample of it that stays the same."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from curation.account.run import Run
from curation.account.tokenizers import kept_text
from curation.account.tokenizers.kept_text import sampled, shards_of, text_stages
from curation.core.errors import InputError
from curation.fit.sample.shares import KeptShard
from tests.curation.account.corpus import curate, curate_sources, rows
from tests.curation.engine.inputs import numbered_shards


def texts(shards: Sequence[KeptShard], sample_bytes: int) -> list[str]:
    return [text for _, table in sampled(shards, sample_bytes) for text in table["text"].to_pylist()]


def test_the_last_stage_with_documents(corpus: Path) -> None:
    run = curate(corpus)
    (stage,) = text_stages(run, None)
    assert stage is run.stage("tokenize")
    shards = shards_of(text_stages(run, None))
    assert [shard.source for shard in shards] == ["web"] * 3
    assert sum(shard.kept_bytes for shard in shards) == stage.manifest.total("kept_text_bytes")


def test_of_several_sources_the_stage_that_joins_them_or_one_by_name(corpus: Path) -> None:
    run = curate_sources(corpus)
    assert [stage.name for stage in text_stages(run, None)] == ["dedup"]
    (stage,) = text_stages(run, "one-gopher_quality")
    assert stage.entry.chain == "one"
    assert [shard.source for shard in shards_of(text_stages(run, None))] == ["one", "one", "two"]


def test_every_source_has_its_last_stage_where_none_joins_them(corpus: Path, tmp_path: Path) -> None:
    run = curate_sources(corpus)
    shutil.copytree(run.folder, tmp_path / "run")
    begun = json.loads((tmp_path / "run" / "run.json").read_text())
    begun["stages"] = [stage for stage in begun["stages"] if stage["chain"] != "joined"]
    (tmp_path / "run" / "run.json").write_text(json.dumps(begun))
    found = [stage.name for stage in text_stages(Run.open(tmp_path / "run"), None)]
    assert found == ["one-gopher_quality", "two-gopher_quality"]


def test_a_stage_that_is_not_there(corpus: Path) -> None:
    run = curate(corpus)
    with pytest.raises(InputError, match="the run has no stage 'gofer'; did you mean 'gopher'"):
        text_stages(run, "gofer")


def test_a_sample_larger_than_the_text_is_all_of_it(corpus: Path) -> None:
    run = curate(corpus)
    table = rows(run, "gopher")
    kept = table.filter(table["drop_reason"].is_null())["text"].to_pylist()
    assert texts(shards_of(text_stages(run, "gopher")), 1 << 30) == kept


def test_columns_that_are_there(corpus: Path) -> None:
    run = curate(corpus)
    source, table = next(sampled(shards_of(text_stages(run, "gopher")), 1 << 30, ("language", "code_quality")))
    assert source == "web"
    assert table.column_names == ["doc_id", "url", "declared_language", "text", "drop_reason", "language"]


def test_a_sample_is_about_as_large_as_asked_and_the_same_each_time(tmp_path: Path) -> None:
    shards = numbered_shards(tmp_path, shards=4, rows=6000)  # 18,000 documents of about five digits
    found = texts(shards, 20_000)
    assert 16_000 < sum(map(len, found)) < 24_000
    assert texts(shards, 20_000) == found
    assert {int(text) // 6000 for text in found} == {0, 1, 2, 3}


def test_of_many_shards_an_even_part_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shards = numbered_shards(tmp_path, shards=6, rows=100)
    monkeypatch.setattr(kept_text, "MOST_SHARDS", 2)
    assert {int(text) // 100 for text in texts(shards, 1 << 20)} == {1, 4}


def test_only_row_groups_that_a_small_sample_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shards = numbered_shards(tmp_path, shards=1, rows=20 * 4096)
    assert len({int(text) // 4096 for text in texts(shards, shards[0].kept_bytes // 40)}) == 20  # fewer than 64
    monkeypatch.setattr(kept_text, "LEAST_GROUPS", 1)
    found = [int(text) // 4096 for text in texts(shards, shards[0].kept_bytes // 40)]
    assert sorted(set(found)) == [5, 15]  # a fortieth, of 4 / 40 of 20 row groups
    assert 0.8 < len(found) / (20 * 4096 * 0.75 / 40) < 1.2


def test_a_document_without_text_is_passed_over(tmp_path: Path) -> None:
    (shard,) = numbered_shards(tmp_path, shards=1, rows=8, text=lambda n: None if n == 1 else str(n))
    ((_, table),) = sampled([shard], 1 << 20)
    assert table["text"].to_pylist() == ["0", "2", "4", "5", "6"]
    assert table.schema.field("text").type == pa.large_string()
