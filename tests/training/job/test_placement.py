"""Broken nodes are left out by Ray's labels, and a training goes on without those that broke while it ran."""

from pathlib import Path
from typing import Any

import pytest
import ray

from curation.core.errors import InputError
from training import job
from training.health.nodes import leave_out
from training.job.placement import without_bad_nodes


def nodes(*living: str) -> list[dict[str, Any]]:
    return [{"NodeID": f"id-{host}", "NodeManagerHostname": host, "Alive": True} for host in living]


def broken(output: Path, host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("platform.node", lambda: host)
        leave_out(str(output), "XID 79")


def test_nodes_that_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray, "nodes", lambda: nodes("a", "b", "c"))
    assert without_bad_nodes(str(tmp_path)) is None
    broken(tmp_path, "b", monkeypatch)
    broken(tmp_path, "c", monkeypatch)
    assert without_bad_nodes(str(tmp_path)) == {"ray.io/node-id": "!in(id-b,id-c)"}
    monkeypatch.setattr(ray, "nodes", lambda: nodes("a"))
    assert without_bad_nodes(str(tmp_path)) is None
    monkeypatch.setattr(ray, "nodes", lambda: nodes("b"))
    with pytest.raises(InputError, match="no node is left to train on: b is left out, XID 79; add one, or repair it"):
        without_bad_nodes(str(tmp_path))


def test_a_training_goes_on_without_a_node_that_broke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ends: list[InputError | None] = [InputError("a is left out of this training"), None]

    def once(*_: object) -> InputError | None:
        if len(ends) == 2:
            broken(tmp_path, "a", monkeypatch)
        return ends.pop(0)

    monkeypatch.setattr(job, "_fit_once", once)
    job._fit({"output": str(tmp_path)}, [1], 0, None, lambda: True)
    assert not ends
    ends.append(InputError("damaged"))
    with pytest.raises(InputError, match="damaged"):
        job._fit({"output": str(tmp_path)}, [1], 0, None, lambda: True)
