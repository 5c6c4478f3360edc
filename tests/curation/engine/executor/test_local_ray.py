"""A Ray of our own is closed to other addresses and to whoever lacks its token, keeps the user's settings and leaves
nothing behind."""

import json
import os
import stat
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import ray

from curation.core.errors import InputError
from curation.engine.executor import ray_private
from curation.engine.executor.local_ray import private_ray
from curation.engine.executor.on_ray import OnRay
from tests.listeners import LOOPBACK, connects, gcs_answer, listeners, other_addresses, raylet_answer
from tests.runs import ENVIRONMENT

NAMES = ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")

# The second session of a process must forget the token of the first.
SCRIPT = """
import json, os, ray
from curation.engine.executor.on_ray import OnRay

@ray.remote
def answer():
    return 7

before = dict(os.environ)
for last in (False, True):
    with OnRay(cpus=1) as own:
        own.start()
        assert ray.get(answer.remote()) == 7
        if last:
            node = ray.nodes()[0]
            print(json.dumps({
                "gcs": ray.get_runtime_context().gcs_address,
                "raylet": f"{node['NodeManagerAddress']}:{node['NodeManagerPort']}",
                "sockets": os.path.dirname(node["RayletSocketName"]),
                "token": os.environ["RAY_AUTH_TOKEN"],
            }), flush=True)
            input()
    assert dict(os.environ) == before, set(os.environ) ^ set(before)
"""


@contextmanager
def session(home: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """A process that holds a session open: its id, and where its Ray is."""
    environment = {name: value for name, value in ENVIRONMENT.items() if not name.startswith("RAY_")}
    environment |= {"HOME": str(home)}
    root = Path(__file__).resolve().parents[4]
    command = [sys.executable, "-c", SCRIPT]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=root
    )
    assert process.stdout
    try:
        yield process.pid, json.loads(process.stdout.readline())
    finally:
        process.communicate("\n", timeout=60)
    assert process.returncode == 0


@pytest.mark.slow
def test_nobody_else_gets_in(tmp_path: Path) -> None:
    with session(tmp_path) as (pid, place):
        ports = listeners(pid)
        assert len(ports) > 5  # the head, the node, its agents, the worker and the driver
        assert {address for address, _ in ports} <= LOOPBACK
        gcs_port = int(place["gcs"].rpartition(":")[2])
        assert connects("127.0.0.1", gcs_port)
        for address in other_addresses():
            assert not [port for _, port in ports if connects(address, port)]

        assert gcs_answer(place["gcs"]) == raylet_answer(place["raylet"]) == "UNAUTHENTICATED"
        assert gcs_answer(place["gcs"], "0" * 64) == raylet_answer(place["raylet"], "0" * 64) == "UNAUTHENTICATED"
        assert gcs_answer(place["gcs"], place["token"]) == raylet_answer(place["raylet"], place["token"]) == "OK"
        jobs = {port: _http_status(port, "/api/job_agent/jobs/") for _, port in ports}
        assert 401 in jobs.values()  # whoever may post there runs commands

        folder = Path(place["sockets"]).parents[2]
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        files = [file for file in folder.rglob("*") if file.is_file()]
        assert files
        assert not [file for file in files if place["token"].encode() in file.read_bytes()]
    assert not folder.exists()
    assert not list(tmp_path.iterdir())  # the home folder


def _http_status(port: int, path: str) -> int | None:
    """None where nothing speaks HTTP/1.1."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except (OSError, HTTPException):
        return None


@pytest.mark.parametrize(
    "theirs",
    [
        pytest.param({"RAY_AUTH_MODE": "disabled"}, id="no authentication"),
        pytest.param({"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "f" * 64}, id="token"),
        pytest.param({"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": "theirs"}, id="file"),
    ],
)
def test_what_the_user_has_set_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, theirs: dict[str, str]) -> None:
    assert settings_of_ray(monkeypatch, tmp_path, theirs) == theirs


def test_a_token_in_the_home_folder_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".ray").mkdir()
    (tmp_path / ".ray" / "auth_token").write_text("f" * 64)
    assert settings_of_ray(monkeypatch, tmp_path, {}) == {"RAY_AUTH_MODE": "token"}


@pytest.mark.parametrize("theirs", [{}, {"RAY_AUTH_MODE": "token"}], ids=["nothing set", "mode without a token"])
def test_each_session_has_a_token_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, theirs: dict[str, str]
) -> None:
    first, second = (settings_of_ray(monkeypatch, tmp_path, theirs) for _ in range(2))
    assert first["RAY_AUTH_MODE"] == second["RAY_AUTH_MODE"] == "token"
    assert len(first["RAY_AUTH_TOKEN"]) == len(second["RAY_AUTH_TOKEN"]) == 64
    assert first["RAY_AUTH_TOKEN"] != second["RAY_AUTH_TOKEN"]


@pytest.mark.parametrize(("error", "kept"), [(ValueError, True), (KeyboardInterrupt, False)])
def test_logs_stay_after_a_failure_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: type[BaseException], kept: bool
) -> None:
    monkeypatch.setattr(ray, "init", lambda **_: None)
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    with pytest.raises(error), private_ray():
        raise error
    assert bool(list(tmp_path.iterdir())) is kept


def settings_of_ray(monkeypatch: pytest.MonkeyPatch, home: Path, theirs: dict[str, str]) -> dict[str, str]:
    """Settings of authentication with which Ray is started in that environment, which must stay as it was."""
    seen: dict[str, str] = {}

    def init(**_: Any) -> None:
        seen.update({name: os.environ[name] for name in NAMES if name in os.environ})

    monkeypatch.setattr(ray, "init", init)
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    for name, value in {**theirs, "HOME": str(home)}.items():
        monkeypatch.setenv(name, value)
    before = dict(os.environ)
    with private_ray():
        pass
    assert dict(os.environ) == before
    return seen


def test_a_full_disk_is_named_before_ray_times_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=4096))
    monkeypatch.setattr(ray_private, "temporary_folder", lambda: str(tmp_path))
    with (
        OnRay(cpus=1) as own,
        pytest.raises(InputError, match=r"^TMPDIR /.* is full \(4.1 kB left, and Ray needs 16.8 MB"),
    ):
        own.start()
    assert list(tmp_path.iterdir()) == []
