"""The files of a shard through the stages of its chain, from folder names and manifests alone."""

from dataclasses import replace
from pathlib import Path

import pytest

from curation.core.commits import COMMITS, Commit, Part, group_path, write_group
from curation.core.manifest import MANIFEST, read_manifest, write_json
from curation.core.shard_files import ShardFiles, all_files
from curation.core.shard_table import ShardTable
from tests.curation.core.test_manifest import MADE

# Two chains of two shards each, which a stage joins: name -> the stages that it reads.
STAGES = {
    "news-read": (),
    "news-filter": ("news-read",),
    "news-dedup": ("news-filter",),
    "books-read": (),
    "near": ("news-dedup", "books-read"),
    "spans": ("near",),
}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    for number, (name, upstream) in enumerate(STAGES.items()):
        folder = tmp_path / f"{number:02d}-{name}-{address(name)[:8]}"
        parts = [
            Part(f"part-{n:05d}.parquet", "s", 1, rows=1, kept=1) for n in range(4 if name in ("near", "spans") else 2)
        ]
        commits = [Commit(n, (part,)) for n, part in enumerate(parts)]
        (folder / COMMITS).mkdir(parents=True)
        write_group(group_path(str(folder), 0), commits)
        made = replace(MADE, name=name, address=address(name), shards=ShardTable.of(commits))
        write_json(
            str(folder / MANIFEST),
            replace(made, address_parts={**made.address_parts, "upstream": [*map(address, upstream)]}),
        )
    return tmp_path


def address(name: str) -> str:
    return f"{list(STAGES).index(name):08x}" * 8


def shard_files(run: Path, name: str) -> ShardFiles:
    (folder,) = run.glob(f"??-{name}-*")
    manifest = read_manifest(str(folder))
    assert manifest is not None
    return ShardFiles(str(folder), manifest)


def names(files: tuple[str, ...]) -> list[str]:
    """Stage and part file of each."""
    return [f"{Path(file).parent.name[3:-9]}/{Path(file).stem[-1]}" for file in files]


def test_shards_of_a_joined_stage_have_their_own_chains(run: Path) -> None:
    spans = shard_files(run, "spans")
    assert names(spans.files(1)) == ["spans/1", "near/1", "news-dedup/1", "news-filter/1", "news-read/1"]
    assert names(spans.files(2)) == ["spans/2", "near/2", "books-read/0"]
    assert spans.all_files() == [spans.files(shard) for shard in range(4)]
    assert spans.depth == 5


def test_a_stage_reads_the_shards_of_several_in_order(run: Path) -> None:
    near = shard_files(run, "near")
    firsts = [names(near.before(shard))[0] for shard in range(4)]
    assert firsts == ["news-dedup/0", "news-dedup/1", "books-read/0", "books-read/1"]
    assert all_files(near.above) == [near.before(shard) for shard in range(4)]
    assert near.before(4) == shard_files(run, "news-read").before(0) == ()


def test_a_stage_whose_upstream_is_gone_has_its_own_files_left(run: Path) -> None:
    (gone,) = run.glob("*-books-read-*")
    (gone / MANIFEST).unlink()
    near = shard_files(run, "near")
    assert names(near.files(3)) == ["near/3"]
    assert near.depth == 1
