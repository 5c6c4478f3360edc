"""Workers that meet in a folder, each start of the group in a file of its own, are closed to other addresses and to
whoever lacks the token."""

import os
from pathlib import Path
from typing import Any

import pytest
import ray

from tests.listeners import LOOPBACK, connects, gcs_answer, listeners, other_addresses
from tests.training.runs import TINY, counting_documents, write_run
from training.config.parse import parse
from training.job import train
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
    group = Group()
    config = MeetInFolder(backend="gloo", folder=str(tmp_path))
    for _ in range(2):
        config.backend_cls().on_start(group, config)  # type: ignore[arg-type]
    files = [join["init_method"] for join in group.joins]
    assert files[0] == files[1] != files[2] == files[3]
    assert all(file.startswith(f"file://{tmp_path}/") for file in files)
    assert [(join["world_rank"], join["world_size"], join["backend"]) for join in group.joins] == [
        (0, 2, "gloo"),
        (1, 2, "gloo"),
    ] * 2


@pytest.mark.soak
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_nobody_else_gets_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    before = dict(os.environ)
    run = write_run(tmp_path / "run", counting_documents(320), validation=counting_documents(7, seed=1))
    ports: set[tuple[str, int]] = set()
    reached: list[tuple[str, int]] = []
    answers: list[str] = []

    def look(record: dict[str, Any]) -> None:
        if record["kind"] == "step" and not ports:
            ports.update(listeners(os.getpid()))
            reached.extend((a, port) for a in other_addresses() for _, port in ports if connects(a, port))
            gcs = ray.get_runtime_context().gcs_address
            answers.extend([gcs_answer(gcs), gcs_answer(gcs, os.environ["RAY_AUTH_TOKEN"])])

    # Long enough that the workers are still there when the first step is seen.
    model = {"decoder": {"layers": 4, "width": 128, "heads": 4}}
    train(parse({**TINY, "model": model, "steps": 60}), str(run), str(tmp_path / "out"), on_progress=look)
    assert len(ports) > 10  # also those of two workers and their controller
    assert {address for address, _ in ports} <= LOOPBACK
    assert reached == []
    assert answers == ["UNAUTHENTICATED", "OK"]
    assert dict(os.environ) == before
    assert not list(home.iterdir())
