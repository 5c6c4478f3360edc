"""The Ray that a training starts, and its workers, are closed to other addresses and to whoever lacks the token."""

import os
from pathlib import Path
from typing import Any

import pytest
import ray

from tests.listeners import LOOPBACK, connects, gcs_answer, listeners, other_addresses
from tests.training.runs import TINY, counting_documents, write_run
from training.config import parse
from training.job import train


@pytest.mark.slow
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
    model = {"layers": 4, "width": 128, "heads": 4}
    train(parse({**TINY, "model": model, "steps": 60}), str(run), str(tmp_path / "out"), on_progress=look)
    assert len(ports) > 10  # also those of two workers and their controller
    assert {address for address, _ in ports} <= LOOPBACK
    assert reached == []
    assert answers == ["UNAUTHENTICATED", "OK"]
    assert dict(os.environ) == before
    assert not list(home.iterdir())
