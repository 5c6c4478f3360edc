"""Which stage reads which, and that opening a run reads no more than run.json."""

import json
import shutil
from pathlib import Path

import pytest

from curation.account.run import Run
from curation.core.errors import InputError
from curation.core.run_lock import only_run
from tests import takedowns as runs
from tests.curation.account.unfinished import begun


def test_opening_reads_no_manifest(taken_run: Path) -> None:
    for path in taken_run.glob("*/_manifest.json"):
        path.write_text("not JSON")
    run = Run.open(taken_run)
    assert [stage.name for stage in run.stages][:3] == ["news-read", "news-gopher_quality", "news-dedup"]
    assert run.stage("pack").verb.packs
    with pytest.raises(InputError, match="is no longer sealed; run the recipe again"):
        run.funnel()


def test_a_manifest_is_read_once(taken_run: Path) -> None:
    stage = Run.open(taken_run).stage("near")
    assert stage.manifest is stage.manifest
    assert stage.manifest.parts is stage.manifest.parts
    assert stage.shards[0] == stage.shards[0]


def test_by_name_or_folder(taken_run: Path) -> None:
    run = Run.open(taken_run)
    assert run.stage(runs.stage_folder(taken_run, "near").name) is run.stage("near")
    with pytest.raises(InputError, match="the run has no stage 'nera'; did you mean 'near'"):
        run.stage("nera")


def test_what_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a run"):
        Run.open(tmp_path)


def test_a_run_that_has_only_begun(taken_run: Path, tmp_path: Path) -> None:
    planned = str(tmp_path / "planned")
    with only_run(planned), pytest.raises(InputError, match="planned yet: its run is being planned; ask again soon"):
        Run.open(planned)
    with pytest.raises(InputError, match=r"did you mean 'near'.* it is not finished: winnow status tells"):
        Run.open(begun(taken_run, sealed=6)).stage("nea")


def test_shards_of_joined_sources(taken_run: Path) -> None:
    run = Run.open(taken_run)
    books = run.stage("books-read")
    near = run.stage("near")
    assert run.next_shard(books.shards[1]) == near.shards[3]
    assert run.before(near.shards[3]) == books.shards[1]
    assert run.before(books.shards[1]) is None
    assert run.next_shard(run.stage("tokenize").shards[0]) is None
    assert {stage.name for stage, _ in run.shards_after(run.stage("spans").shards[0])} == {"tokenizer", "tokenize"}


def test_stages_that_an_earlier_recipe_left(taken_run: Path, sources: Path) -> None:
    before = {stage.entry.folder for stage in Run.open(taken_run).stages}
    runs.curate(sources, taken_run, words=21)
    own = {stage.entry.folder for stage in Run.open(taken_run).stages}
    every = Run.open_with_earlier(taken_run).stages
    assert {stage.entry.folder for stage in every if stage.current} == own
    assert {stage.entry.folder for stage in every if not stage.current} == before - own != set()
    assert [stage.entry.folder for stage in every] == sorted(before | own)
    assert {stage.entry for stage in every if stage.current} == {stage.entry for stage in Run.open(taken_run).stages}


def test_a_stage_that_nothing_leads_to(taken_run: Path) -> None:
    assert all(run.has_upstream(stage) for run in [Run.open_with_earlier(taken_run)] for stage in run.stages)
    shutil.rmtree(runs.stage_folder(taken_run, "news-gopher_quality"))
    run = Run.open_with_earlier(taken_run)
    adrift = {stage.name for stage in run.stages if not run.has_upstream(stage)}
    assert adrift == {"news-dedup", "near", "spans", "tokenizer", "tokenize", "pack", "mix"}
    assert run.before(run.stage("news-dedup").shards[0]) is None


def test_a_manifest_that_counts_too_few_shards(taken_run: Path) -> None:
    path = runs.stage_folder(taken_run, "near") / "_manifest.json"
    content = json.loads(path.read_text())
    content["shards"]["groups"] = []
    path.write_text(json.dumps(content))
    run = Run.open(taken_run)
    before = next(stage for stage in run.stages if stage.entry.address in run.stage("near").upstream)
    with pytest.raises(InputError, match=r"near.*_manifest\.json is damaged: it counts 0 shards; restore it"):
        run.next_shard(before.shards[0])
