"""Workers that meet in a folder: each start of the group in a file of its own."""

from pathlib import Path
from typing import Any

import pytest
import ray

from training.job.meeting import MeetInFolder


class Group:
    """Two workers, of which only the calls are written down."""

    def __init__(self) -> None:
        self.joins: list[dict[str, Any]] = []

    def __len__(self) -> int:
        return 2

    def execute(self, *_: object) -> None: ...

    def execute_single_async(self, worker: int, _: object, **join: Any) -> None:
        assert join["world_rank"] == worker
        self.joins.append(join)


def test_each_start_has_a_file_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray, "get", lambda _: None)
    group, config = Group(), MeetInFolder(backend="gloo", folder=str(tmp_path))
    for _ in range(2):
        config.backend_cls().on_start(group, config)  # type: ignore[arg-type]
    files = [join["init_method"] for join in group.joins]
    assert files[0] == files[1] != files[2] == files[3]
    assert all(file.startswith(f"file://{tmp_path}/") for file in files)
    assert [(join["world_rank"], join["world_size"], join["backend"]) for join in group.joins] == [
        (0, 2, "gloo"),
        (1, 2, "gloo"),
    ] * 2
