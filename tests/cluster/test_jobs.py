"""Jobs on a Ray of one node on this machine's loopback, started as users start it and behind a token: followed,
left, taken up again, cancelled and resumed. And what a job server may do that a real one seldom does."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from ray.job_submission import JobStatus
from rich.text import Text

from cluster import jobs
from curation.core.errors import InputError, StageError
from tests.end_to_end.test_signals import begun
from tests.faults.nodes import RayCluster, until_more, went_on
from tests.runs import data_hashes, hear_sigint, winnow, write_recipe


@pytest.mark.parametrize("url", ["ray://head:10001", "head:6379", "auto", "http://", "localhost:8265"])
def test_an_address_that_is_no_url(url: str) -> None:
    with pytest.raises(InputError, match="is not the URL of a Ray dashboard"):
        jobs.connect(url)


def test_nobody_at_the_url() -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        with pytest.raises(InputError, match="no Ray dashboard answers at http://127"):
            jobs.connect(f"http://127.0.0.1:{reserved.getsockname()[1]}")


def test_another_server_at_the_url() -> None:
    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>")

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Page) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(InputError, match="no Ray dashboard answers at"):
            jobs.connect(f"http://127.0.0.1:{server.server_port}")
        server.shutdown()


@pytest.mark.parametrize(
    ("status", "driver", "code"),
    [
        (JobStatus.SUCCEEDED, 0, 0),
        (JobStatus.FAILED, 2, 2),
        (JobStatus.STOPPED, None, 143),
    ],
)
def test_exit_codes(status: JobStatus, driver: int | None, code: int) -> None:
    details: Any = SimpleNamespace(status=status, driver_exit_code=driver, submission_id="a", message="")
    assert jobs.exit_code(details) == code


@pytest.mark.parametrize(
    ("number", "name", "cause"),
    [(9, "SIGKILL", ", as happens where its node is out of memory"), (11, "SIGSEGV", ""), (99, "signal 99", "")],
)
def test_a_command_that_a_signal_killed(number: int, name: str, cause: str) -> None:
    details: Any = SimpleNamespace(status=JobStatus.FAILED, driver_exit_code=-number, submission_id="a", message="")
    said = f"the command of the job a was killed on the cluster by {name}{cause}; submit the same command again"
    with pytest.raises(jobs.LostJobError, match=said) as raised:
        jobs.exit_code(details, ["one", "two"])
    assert (raised.value.exit_code, raised.value.lines) == (128 + number, ("one", "two"))


def test_a_command_that_could_not_start() -> None:
    message = "runtime_env setup failed:\n no space left"
    details: Any = SimpleNamespace(
        status=JobStatus.FAILED, driver_exit_code=None, submission_id="a", message=message, error_type=None
    )
    with pytest.raises(StageError, match="the job a has failed: runtime_env setup failed: no space left"):
        jobs.exit_code(details)


class Dropping:
    """A job server whose log breaks off after as many characters as `lengths` say, once each."""

    def __init__(self, text: str, lengths: list[int]) -> None:
        self.text = text
        self.lengths = lengths

    async def tail_job_logs(self, job: str) -> AsyncIterator[str]:
        length = self.lengths.pop(0) if self.lengths else None
        for start in range(0, len(self.text[:length]), 5):
            yield self.text[:length][start : start + 5]
        if length is not None:
            raise RuntimeError("WebSocket connection closed unexpectedly")

    def get_job_info(self, job: str) -> Any:
        return SimpleNamespace(status=JobStatus.SUCCEEDED, driver_exit_code=0, submission_id=job)


@pytest.mark.parametrize("lengths", [[], [7], [7, 3, 12], [0, 20]])
def test_a_log_is_written_once_however_often_the_connection_drops(
    monkeypatch: pytest.MonkeyPatch, lengths: list[int]
) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: None)
    server: Any = Dropping("The log of a job, to its end.", lengths)
    written: list[str] = []
    assert jobs.follow(server, "a", written.append) == 0
    assert "".join(written) == server.text


def test_the_last_lines_of_a_killed_job(monkeypatch: pytest.MonkeyPatch) -> None:
    server: Any = Dropping("".join(f"line {number}\n\n" for number in range(9)), [])
    ended = SimpleNamespace(status=JobStatus.FAILED, driver_exit_code=-9, submission_id="a", message="")
    monkeypatch.setattr(server, "get_job_info", lambda job: ended)
    with pytest.raises(jobs.LostJobError) as raised:
        jobs.follow(server, "a", lambda _: None)
    assert raised.value.lines == ("line 4", "line 5", "line 6", "line 7", "line 8")


def test_a_cluster_that_stays_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "PATIENCE", 0.0)
    server: Any = Dropping("text", [2, 2])
    with pytest.raises(StageError, match="lost the connection to the job a, which may go on"):
        jobs.follow(server, "a", lambda _: None)


def test_a_head_that_was_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    server: Any = Dropping("text", [2, 2])
    answers = iter([SimpleNamespace(status=JobStatus.RUNNING)])

    def get_job_info(job: str) -> Any:
        answer = next(answers, None)
        if answer is None:
            raise RuntimeError(f"Request failed with status code 404: Job {job} does not exist.")
        return answer

    monkeypatch.setattr(server, "get_job_info", get_job_info)
    with pytest.raises(StageError, match=r"no longer knows the job a, .* submit the same command again to resume"):
        jobs.follow(server, "a", lambda _: None)


@pytest.fixture(scope="module")
def ray(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RayCluster]:
    with RayCluster(head_cpus=2, namespaces=False) as cluster:
        yield cluster
        pids = cluster.head.pids()
        assert pids
    wait_for(lambda: not any(map(begun, pids)), seconds=30)


def following(ray: RayCluster, folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        ray.command(*arguments),
        env=ray.client,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_sigint,
    )


def wait_for(is_so: Callable[[], object], seconds: float = 240, pause: float = 0.02) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(pause)


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_a_run_is_left_taken_up_cancelled_and_resumed(
    ray: RayCluster, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """One job that is left by Ctrl-C, followed again and cancelled; another with the same command resumes it."""
    write_recipe(tmp_path, archives=60, pages=60)  # long enough for three commands to start
    output = tmp_path / "run"
    command = ("--", "curate", "small.yaml", "--output", str(output))
    with following(ray, tmp_path, "submit", "--id", "mine", *command) as first:
        wait_for(lambda: any(output.glob("*-extract-*/part-*")))
        first.send_signal(signal.SIGINT)
        _, said = first.communicate(timeout=30)
    assert first.returncode == 130
    assert said.splitlines()[-1].startswith("the job goes on; follow it: winnow job follow mine --address http://")
    with following(ray, tmp_path, "job", "follow", "mine") as second:
        cancelled = ray.winnow("job", "cancel", "mine")
        log, _ = second.communicate(timeout=60)
    assert cancelled.returncode == 0, cancelled.stderr
    assert cancelled.stderr == "mine: cancelled; the same command resumes\n", log
    assert second.returncode == 143
    assert log.splitlines()[-1] == "stopped; the same command resumes"  # the driver's own end, not a kill
    assert ray.winnow("job", "cancel", "mine").stderr == "mine: had ended already\n"
    again = ray.winnow("submit", "--id", "mine", *command, cwd=tmp_path)
    assert (again.returncode, "there is a job mine already; give another --id" in again.stderr) == (2, True)
    with following(ray, tmp_path, "submit", *command) as third:
        seconds = until_more(lambda: {str(path) for path in output.glob("*/part-*")})
        done, said = third.communicate(timeout=300)
    assert third.returncode == 0, done + said
    assert "mixed tokens" in done
    record_property(
        "fault", f"the driver ended by SIGTERM | the same command resumes | units at work | {went_on(seconds)}"
    )
    listed = ray.winnow("job", "list", "--json").stdout
    assert [f'"status": "{status}"' in listed for status in ("stopped", "succeeded", "running")] == [True, True, False]
    plain = winnow("curate", tmp_path / "small.yaml", "--output", tmp_path / "plain", "--cpus", "2")
    assert plain.returncode == 0, plain.stderr
    assert data_hashes(output) == data_hashes(tmp_path / "plain")
    assert not list(output.rglob("_partial*"))  # a worker that Ray kills leaves its own until the command resumes


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_killed_driver_is_told(ray: RayCluster, tmp_path: Path) -> None:
    write_recipe(tmp_path, archives=60, pages=60)
    output = tmp_path / "run"
    command = ("submit", "--id", "killed", "--", "curate", "small.yaml", "--output", str(output))
    with following(ray, tmp_path, *command) as submitting:
        wait_for(lambda: any(output.glob("*-extract-*/part-*")))
        lines = {pid: Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0") for pid in ray.head.pids()}
        (driver,) = [pid for pid, line in lines.items() if b"winnow" in line]
        os.kill(driver, signal.SIGKILL)
        log, said = submitting.communicate(timeout=60)
    assert submitting.returncode == 137
    *_, error = said.splitlines()
    assert error.startswith("error: the command of the job killed was killed on the cluster by SIGKILL")
    assert "the job's last lines:\n    " in said
    assert said.splitlines()[-2].strip() == Text.from_ansi(log.splitlines()[-1]).plain.strip()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_command_that_fails_gives_its_code_and_its_line(ray: RayCluster, tmp_path: Path) -> None:
    write_recipe(tmp_path, archives=1, pages=2)
    done = ray.winnow("submit", "--", "curate", "small.yaml", "--input", "/nowhere/*", "--output", tmp_path / "run",
                      cwd=tmp_path)  # fmt: skip
    assert done.returncode == 2
    assert "error: " in done.stdout
    assert "/nowhere/*" in done.stdout.splitlines()[-1]
    unknown = ray.winnow("job", "follow", "nothing")
    assert (unknown.returncode, "there is no job nothing on this cluster" in unknown.stderr) == (2, True)


@pytest.mark.slow
@pytest.mark.parametrize("token", ["", "f" * 64], ids=["none", "another"])
def test_the_token_of_the_cluster_is_asked_for(
    ray: RayCluster, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, token: str
) -> None:
    other = RayCluster(token=token)
    other.head = ray.head
    other._dashboard = ray._dashboard
    monkeypatch.setenv("HOME", str(tmp_path))
    done = other.winnow("job", "list")
    assert done.returncode == 2
    assert "asks for a token, and this is not the right one or there is none: set RAY_AUTH_MODE=token" in done.stderr
    assert len(done.stderr.splitlines()) == 1
