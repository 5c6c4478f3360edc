"""The files of single stages: those without checksums, filters, look-up tables, and files that cannot be read."""

import json
import shutil
from pathlib import Path

import pytest

from curation.account.verify import files
from curation.account.verify.files import Problem, StageFiles
from curation.core.manifest import read_manifest
from tests.curation.account.corpus import made
from tests.takedowns import stage_folder

BLOOM = """
version: 1
name: members
sources:
  news:
    - read: {jsonl: {paths: ["%s/news-0.jsonl"], url: url}}
    - dedup: {bloom: {against: [], expected_items: 1000}}
"""


def checked(folder: Path, *, deep: bool = True) -> list[Problem]:
    manifest = read_manifest(str(folder))
    assert manifest is not None
    stage = StageFiles(str(folder), manifest)
    stage.check(deep=deep)
    return stage.problems


def test_files_of_the_exchange_are_known_by_their_sizes(taken_run: Path) -> None:
    folder = stage_folder(taken_run, "near")
    keys = folder / "_keys" / "keys-00001.arrow"
    keys.write_bytes(keys.read_bytes() + b"x")
    (problem,) = checked(folder, deep=False)
    assert problem.file == "_keys/keys-00001.arrow"
    assert problem.delete == (str(folder / "_manifest.json"), str(keys))


def test_a_read_stage_without_its_look_up_table(taken_run: Path) -> None:
    folder = stage_folder(taken_run, "news-read")
    shutil.rmtree(folder / "_buckets")
    (problem,) = checked(folder)
    assert (problem.file, problem.delete) == ("_buckets", (str(folder / "_manifest.json"),))


def test_a_group_of_a_step_that_is_missing(taken_run: Path) -> None:
    folder = stage_folder(taken_run, "near")
    (folder / "_keys" / "group-00000.arrow").rename(folder / "_keys" / "group-00001.arrow")
    (problem,) = checked(folder)
    assert problem.file == "_keys/group-00000.arrow"


def test_a_bloom_filter(sources: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert made(BLOOM % sources, run).verify(deep=True).problems == ()
    (folder,) = run.glob("*-dedup-*")
    partition = folder / "bloom" / "part-00000.bloom"
    content = partition.read_bytes()
    partition.write_bytes(content[:-8] + b"spoilt!!")
    assert checked(folder, deep=False) == []
    (problem,) = checked(folder)
    assert (problem.file, problem.delete[1]) == ("bloom/part-00000.bloom", str(partition))
    for name in problem.delete:
        Path(name).unlink()
    made(BLOOM % sources, run)
    assert partition.read_bytes() == content
    partition.unlink()
    (gone,) = checked(folder, deep=False)
    assert "lacks part-00000.bloom" in gone.what


def test_a_file_that_cannot_be_read(taken_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def bad(uri: str) -> str:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(files, "checksum_of", bad)
    found = checked(stage_folder(taken_run, "news-gopher_quality"))
    assert [(one.file, one.what) for one in found] == [
        (f"part-0000{shard}.parquet", "cannot be read: [Errno 5] Input/output error") for shard in range(2)
    ]


def test_an_index_that_is_not_the_mix(taken_run: Path) -> None:
    folder = stage_folder(taken_run, "mix")
    index = json.loads((folder / "index.json").read_text())
    (folder / "index.json").write_text(json.dumps({**index, "seed": 7}))
    (problem,) = checked(folder, deep=False)
    assert (problem.file, problem.what) == ("index.json", "is not the index that the manifest holds")
