"""The table of shards: totals without reading, single shards by their group, all of them where asked for."""

from dataclasses import replace
from pathlib import Path

import pytest

from curation.core import commits, shard_table
from curation.core.commits import COMMITS, Commit, Part, write_group
from curation.core.errors import InputError
from curation.core.shard_table import ShardTable


def commit(unit: int, shards: int) -> Commit:
    parts = tuple(Part(f"part-{unit}-{n}", "ab"[unit % 2], 7, 5, 4, dropped={"x.y:low": 1}) for n in range(shards))
    return Commit(unit, parts, faults=({"file": str(unit), "offset": 0, "error": "x"},), counts={"faults.unlisted": 2})


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ShardTable:
    """Five units of one, two, none, one and two shards, in groups of two units."""
    for module in (commits, shard_table):
        monkeypatch.setattr(module, "GROUP_UNITS", 2)
    units = [commit(unit, shards) for unit, shards in enumerate((1, 2, 0, 1, 2))]
    (tmp_path / COMMITS).mkdir()
    for group in range(3):
        write_group(commits.group_path(str(tmp_path), group), units[group * 2 : group * 2 + 2])
    made = ShardTable.of(units, str(tmp_path), "a")
    return ShardTable(made.units, made.groups, made.totals, made.faults, made.fault_count, made.lost, str(tmp_path))


def test_totals_are_by_source(table: ShardTable) -> None:
    assert (table.units, table.groups, len(table)) == (5, (3, 1, 2), 6)
    assert table.totals["a"]["parts"]["rows"] == 15
    assert table.totals["b"]["dropped"] == {"x.y:low": 3}
    assert (len(table.faults), table.fault_count) == (5, 15)


def test_a_shard_reads_its_group_alone(table: ShardTable, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(shard_table, "read_parts", lambda uri: (read.append(uri), commits.read_parts(uri))[1])
    names = [table[shard].file for shard in (3, 4, 5, 0)]
    assert names == ["part-3-0", "part-4-0", "part-4-1", "part-0-0"]
    assert len(read) == 3
    assert [part.file for part in table.parts][1:3] == ["part-1-0", "part-1-1"]
    assert [one.unit for one in table.commits] == [0, 1, 2, 3, 4]


def test_names_and_parts_in_brief_are_kept_nowhere(table: ShardTable) -> None:
    assert table.files == [part.file for part in table.parts]
    brief = table.brief
    assert [(part.file, part.kept, part.dropped) for part in brief][:2] == [("part-0-0", 4, {}), ("part-1-0", 4, {})]


def test_part_files_that_have_rows(table: ShardTable) -> None:
    assert table.filled == [0, 1, 2, 3, 4, 5]
    units = [replace(commit(unit, 1), parts=(Part(f"part-{unit}", "a", 7, unit % 3, 0),)) for unit in range(5)]
    for group in range(3):
        write_group(commits.group_path(table.folder, group), units[group * 2 : group * 2 + 2])
    made = ShardTable.of(units, table.folder, "a")
    assert made.filled == [1, 2, 4]
    assert ShardTable.of([], table.folder, "a").filled == []


@pytest.mark.parametrize("groups", [(2, 1, 2), (10**17, 1, 2)])
def test_a_group_with_other_part_files_than_counted(table: ShardTable, groups: tuple[int, ...]) -> None:
    damaged = replace(table, groups=groups)
    told = rf"group-00000\.arrow has 3 part files, and the manifest of its stage counts {groups[0]:,}; delete the stage"
    for ask in (lambda: damaged[0], lambda: damaged.files, lambda: damaged.parts):
        with pytest.raises(InputError, match=told):
            ask()
