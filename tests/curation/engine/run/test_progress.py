"""Progress is read off the commits: units that are whole, and the rows that they wrote."""

from pathlib import Path

import pytest

from curation.core.manifest import Commit, Part
from curation.engine.run.progress import Progress, Watch
from curation.engine.run.steps import commit


def finish(folder: Path, unit: int, rows: int) -> None:
    commit(str(folder), Commit(unit, (Part(f"part-{unit}", "web", 1, rows, rows),)), 0.0)


def test_a_step_counts_its_commits(tmp_path: Path) -> None:
    (tmp_path / "_commits").mkdir()
    told: list[Progress] = []
    finish(tmp_path, 0, 10)
    (tmp_path / "_commits" / "unit-00001.json").write_text('{"unit": 1, "parts": [{"ro')
    with Watch("gopher", str(tmp_path), told.append) as watch:
        watch.step("filter", "_commits", 3)
        finish(tmp_path, 2, 5)
    told = [one for one in told if one.step == "filter"]
    assert (told[0].stage, told[0].done, told[0].units, told[0].documents) == ("gopher", 1, 3, 10)
    assert (told[-1].done, told[-1].documents) == (2, 15)
    assert told[-1].seconds >= told[0].seconds >= 0


def test_the_next_step_counts_anew(tmp_path: Path) -> None:
    (tmp_path / "_keys").mkdir()
    told: list[Progress] = []
    watch = Watch("dedup", str(tmp_path), told.append)
    with watch:
        watch.step("keys", "_keys", 1)
        watch.step("attach", "_missing", 4)
    assert [one.step for one in told] == ["start", "keys", "attach", "attach"]
    assert [one.done for one in told] == [0] * 4


def test_a_failed_stage_says_no_more(tmp_path: Path) -> None:
    told: list[Progress] = []
    watch = Watch("dedup", str(tmp_path), told.append)
    with pytest.raises(ZeroDivisionError), watch:
        raise ZeroDivisionError
    assert [one.step for one in told] == ["start"]
