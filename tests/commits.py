"""Commits of a stage's step as a test finds or spoils them."""

from collections.abc import Iterable
from pathlib import Path

from curation.core.commits import COMMITS, Commit, read_group, write_group


def commits_of(folder: Path, step: str = COMMITS) -> dict[int, Commit]:
    """Those of all units, by number."""
    groups = (read_group(str(path)) for path in sorted((folder / step).glob("group-*.arrow")))
    return {commit.unit: commit for group in groups for commit in group}


def uncommit(folder: Path, units: Iterable[int], step: str = COMMITS) -> None:
    """Takes the commits of some units of the first group away."""
    gone = set(units)
    left = [commit for unit, commit in commits_of(folder, step).items() if unit not in gone]
    write_group(str(folder / step / "group-00000.arrow"), left)
